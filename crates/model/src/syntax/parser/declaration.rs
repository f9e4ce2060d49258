//! Declarations, and the sequence of things a whole model text is made of.

use super::super::ast::*;
use super::super::keywords::Vocabulary;
use super::super::token::TokenKind;
use super::{End, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

/// Which part of a model a text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Section {
    /// A whole text file.
    File,
    /// The global declarations of an XML model: no system line here.
    Declarations,
    /// The `<system>` of an XML model.
    System,
}

impl Parser<'_> {
    /// Everything up to the end of the text.
    pub fn document(&mut self, syntax: Syntax, section: Section) -> Document {
        let (items, progress, gantt, queries) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut document = Document { syntax, items, system: None, progress, gantt, queries };
        while !self.at_end() {
            let start = self.at;
            if self.document_part(&mut document, section).is_err() {
                self.recover(0, End::Either);
            }
            if self.at == start {
                // Only a closing brace that nothing opened stops both the parser and its recovery.
                self.expected("a declaration");
                self.advance();
            }
        }
        document
    }

    fn document_part(&mut self, document: &mut Document, section: Section) -> Parse<()> {
        let place = self.here();
        let word = self.word();
        if section == Section::Declarations && matches!(word, "system" | "progress" | "gantt") {
            let message = format!("`{word}` does not belong to the declarations");
            self.remark(Diagnostic::new(Code::SYNTAX, place, message).label("belongs to the system section"));
        }
        match word {
            "system" => {
                let system = self.system_line()?;
                if let Some(first) = document.system.replace(system) {
                    let error =
                        Diagnostic::new(Code::SYNTAX, place, "a second system line").label("only one is possible");
                    self.remark(error.note(first.span, "the first one is here"));
                }
            }
            "progress" if self.is_ahead(1, "{") => self.progress(&mut document.progress)?,
            "gantt" if self.is_ahead(1, "{") => self.gantt(&mut document.gantt)?,
            "query" if self.is_ahead(1, "{") => document.queries.push(self.query_block()?),
            _ if self.eat(";") => {}
            _ => {
                let item = self.item()?;
                if document.system.is_some() && !matches!(item, Item::Io(_)) {
                    let message = "declarations cannot follow the system line";
                    self.remark(Diagnostic::new(Code::SYNTAX, place, message).label("move it before the system line"));
                }
                document.items.push(item);
            }
        }
        Ok(())
    }

    fn item(&mut self) -> Parse<Item> {
        let start = self.here();
        match self.word() {
            "process" => Ok(Item::Template(self.process()?)),
            "chan" if self.word_ahead(1) == "priority" => Ok(Item::ChannelPriority(self.channel_priority()?)),
            "before_update" if self.is_ahead(1, "{") => Ok(Item::BeforeUpdate(self.update_block()?)),
            "after_update" if self.is_ahead(1, "{") => Ok(Item::AfterUpdate(self.update_block()?)),
            "import" if self.ahead(1).kind == TokenKind::String => Ok(Item::Import(self.import()?)),
            "dynamic" if self.is_name_ahead(1) && self.is_ahead(2, "(") => {
                self.advance();
                let name = self.identifier("the name of a template")?;
                let parameters = self.parenthesised_parameters()?;
                self.expect_semicolon("after the declaration")?;
                Ok(Item::Dynamic { name, parameters, span: self.since(start) })
            }
            "IO" if self.at_io() => Ok(Item::Io(self.io_declaration()?)),
            _ if self.is_name_ahead(0)
                && (self.is_ahead(1, "(") || self.is_ahead(1, "=") || self.is_ahead(1, ":=")) =>
            {
                Ok(Item::Instantiation(self.instantiation()?))
            }
            _ => Ok(Item::Declaration(self.declaration()?)),
        }
    }

    /// A text that has nothing but the declarations of a template.
    pub fn all_template_declarations(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        loop {
            declarations.extend(self.template_declarations());
            if self.at_end() {
                return declarations;
            }
            self.expected("a declaration");
            self.advance();
            self.recover(0, End::Either);
        }
    }

    /// The declarations of a template, as long as there are any.
    pub(super) fn template_declarations(&mut self) -> Vec<Declaration> {
        let braces = self.braces;
        let mut declarations = Vec::new();
        while !(self.at_end()
            || self.is("}")
            || self.at_process_section()
            || matches!(self.word(), "process" | "system"))
        {
            let start = self.at;
            if self.eat(";") {
                continue;
            }
            match self.declaration() {
                Ok(declaration) => declarations.push(declaration),
                Err(_) => {
                    self.recover(braces, End::Either);
                    if self.at == start {
                        self.advance();
                    }
                }
            }
        }
        declarations
    }

    /// Variables, a typedef or a function.
    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        let start = self.here();
        if self.word() == "typedef" && self.vocabulary != Vocabulary::Old {
            let (ty, names) = self.typedef()?;
            return Ok(Declaration::Typedef { ty, names, span: self.since(start) });
        }
        if self.at_untyped_constant() {
            return self.untyped_constants(start).map(Declaration::Variables);
        }
        if !(self.at_type_keyword() || self.is_name_ahead(0)) {
            return Err(self.expected("a declaration"));
        }
        let ty = self.type_name()?;
        if self.is_name_ahead(0) && self.is_ahead(1, "(") {
            return self.function(start, ty).map(Declaration::Function);
        }
        self.variables(start, ty).map(Declaration::Variables)
    }

    /// `typedef int[0,3] a, b[2];`
    pub(super) fn typedef(&mut self) -> Parse<(Type, Vec<Declarator>)> {
        self.advance();
        let ty = self.type_name()?;
        let names = self.array_names()?;
        self.expect_semicolon("after the type definition")?;
        Ok((ty, names))
    }

    pub(super) fn variables(&mut self, start: Span, ty: Type) -> Parse<Variables> {
        let declarators = self.declarators()?;
        self.expect_semicolon("after the declaration")?;
        Ok(Variables { ty, declarators, span: self.since(start) })
    }

    fn function(&mut self, start: Span, return_type: Type) -> Parse<Function> {
        let name = self.identifier("the name of the function")?;
        let parameters = self.parenthesised_parameters()?;
        if !self.is("{") {
            return Err(self.expected_after("`{`", "before the body of the function"));
        }
        let body = self.block()?;
        Ok(Function { return_type, name, parameters, body, span: self.since(start) })
    }

    /// `Q(int &x) = P(x, 2);`
    fn instantiation(&mut self) -> Parse<Instantiation> {
        let start = self.here();
        let name = self.identifier("a name")?;
        let parameters = if self.is("(") { Some(self.parenthesised_parameters()?) } else { None };
        if !self.eat_assign() {
            return Err(self.expected_after("`=`", "and a template"));
        }
        let template = self.identifier("the name of a template")?;
        let arguments = self.arguments()?;
        self.expect_semicolon("after the instantiation")?;
        Ok(Instantiation { name, parameters, template, arguments, span: self.since(start) })
    }

    /// `before_update { i = 0, j = 1 }`
    fn update_block(&mut self) -> Parse<Vec<Expr>> {
        self.advance();
        self.advance();
        if self.eat("}") {
            return Ok(Vec::new());
        }
        let updates = self.expression_list()?;
        self.eat(";");
        self.expect("}", "after the updates")?;
        Ok(updates)
    }

    /// `import "lib.so" { int f(int a); g = int h(); };`
    fn import(&mut self) -> Parse<Import> {
        let start = self.here();
        self.advance();
        let library = self.string_contents();
        self.advance();
        let mut functions = Vec::new();
        if self.eat("{") {
            while !self.eat("}") {
                functions.push(self.foreign_function()?);
                self.expect(";", "after the function")?;
            }
        } else {
            functions.push(self.foreign_function()?);
        }
        self.expect_semicolon("after the import")?;
        Ok(Import { library, functions, span: self.since(start) })
    }

    fn foreign_function(&mut self) -> Parse<ForeignFunction> {
        let renamed = if self.is_name_ahead(0) && self.is_ahead(1, "=") {
            let name = self.identifier("a name")?;
            self.advance();
            Some(name)
        } else {
            None
        };
        let return_type = self.type_name()?;
        let external = self.identifier("the name of the function")?;
        let parameters = self.parenthesised_parameters()?;
        Ok(ForeignFunction { name: renamed.unwrap_or(external), return_type, parameters })
    }
}
