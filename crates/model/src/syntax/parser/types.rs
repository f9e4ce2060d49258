//! Types, declarators with their dimensions and initialisers, parameters.

use super::super::ast::*;
use super::super::keywords::Vocabulary;
use super::{Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};

impl Parser<'_> {
    /// Whether a type starts here that cannot be an expression.
    pub(super) fn at_type_keyword(&self) -> bool {
        match self.word() {
            "const" | "urgent" | "broadcast" | "int" | "bool" | "chan" | "clock" => true,
            "meta" | "scalar" | "struct" | "void" => self.vocabulary != Vocabulary::Old,
            "hybrid" => self.word_ahead(1) == "clock",
            _ => false,
        }
    }

    /// Whether a declaration of variables starts here: a type, or one name after another.
    pub(super) fn at_variables(&self) -> bool {
        self.at_type_keyword() || (self.is_name_ahead(0) && self.is_name_ahead(1))
    }

    pub(super) fn type_name(&mut self) -> Parse<Type> {
        let start = self.here();
        let prefix = self.type_prefix();
        let base = self.base_type()?;
        Ok(Type { prefix, base, span: self.since(start) })
    }

    /// At most one prefix, or `urgent broadcast`.
    fn type_prefix(&mut self) -> Prefix {
        let mut prefix = Prefix::default();
        let mut words: Vec<&str> = Vec::new();
        loop {
            let word = self.word();
            match word {
                "const" => prefix.is_const = true,
                "urgent" => prefix.is_urgent = true,
                "broadcast" => prefix.is_broadcast = true,
                "meta" if self.vocabulary != Vocabulary::Old => prefix.is_meta = true,
                _ => return prefix,
            }
            let pair = ["urgent", "broadcast"];
            let fits = |other: &&str| *other != word && pair.contains(other) && pair.contains(&word);
            if !words.iter().all(fits) {
                let message = format!("`{word}` does not go together with `{}`", words.join(" "));
                let error = Diagnostic::new(Code::SYNTAX, self.here(), message);
                self.remark(error.label("only `urgent broadcast` can be combined"));
            }
            words.push(word);
            self.advance();
        }
    }

    fn base_type(&mut self) -> Parse<BaseType> {
        let word = self.word();
        let base = match word {
            "bool" => BaseType::Bool,
            "double" => BaseType::Double,
            "string" => BaseType::String,
            "chan" => BaseType::Channel,
            "clock" => BaseType::Clock { hybrid: false },
            "void" => BaseType::Void,
            "hybrid" if self.word_ahead(1) == "clock" => {
                self.advance();
                BaseType::Clock { hybrid: true }
            }
            "int" => return self.int_type(),
            "scalar" if self.is_ahead(1, "[") => return self.scalar_type(),
            "struct" if self.is_ahead(1, "{") => return self.nested(Parser::struct_type),
            _ if self.is_name_ahead(0) => return Ok(BaseType::Named(self.identifier("a type")?)),
            _ => return Err(self.expected("a type")),
        };
        self.advance();
        Ok(base)
    }

    /// `int` or `int[lo,hi]`
    fn int_type(&mut self) -> Parse<BaseType> {
        self.advance();
        if !self.eat("[") {
            return Ok(BaseType::Int(None));
        }
        self.nested(|parser| {
            let low = parser.expression()?;
            parser.expect(",", "between the bounds of the range")?;
            let high = parser.expression()?;
            parser.expect("]", "after the range")?;
            Ok(BaseType::Int(Some(Box::new((low, high)))))
        })
    }

    fn scalar_type(&mut self) -> Parse<BaseType> {
        self.advance();
        self.advance();
        let size = self.nested(Parser::expression)?;
        self.expect("]", "after the size of the scalar set")?;
        Ok(BaseType::Scalar(Box::new(size)))
    }

    fn struct_type(&mut self) -> Parse<BaseType> {
        self.advance();
        self.advance();
        let mut fields = Vec::new();
        while !self.eat("}") {
            let ty = self.type_name()?;
            let names = self.array_names()?;
            self.expect(";", "after the field of the struct")?;
            fields.push(FieldGroup { ty, names });
        }
        Ok(BaseType::Struct(fields))
    }

    /// `a[2] = {1,2}, b = 3`
    pub(super) fn declarators(&mut self) -> Parse<Vec<Declarator>> {
        let mut declarators = vec![self.declarator()?];
        while self.eat(",") {
            declarators.push(self.declarator()?);
        }
        Ok(declarators)
    }

    /// `a, b[2]`: the names of a struct or a typedef, which have no initialisers.
    pub(super) fn array_names(&mut self) -> Parse<Vec<Declarator>> {
        let mut names = Vec::new();
        loop {
            let name = self.identifier("a name")?;
            names.push(Declarator { name, dimensions: self.dimensions()?, initialiser: None });
            if !self.eat(",") {
                return Ok(names);
            }
        }
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let name = self.identifier("a name")?;
        let dimensions = self.dimensions()?;
        let initialiser = if self.eat_assign() { Some(self.initialiser()?) } else { None };
        Ok(Declarator { name, dimensions, initialiser })
    }

    pub(super) fn dimensions(&mut self) -> Parse<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        while self.eat("[") {
            let dimension = self.nested(|parser| match parser.at_type_keyword() {
                true => Ok(Dimension::Index(parser.type_name()?)),
                false => Ok(Dimension::Size(parser.expression()?)),
            })?;
            self.expect("]", "after the size of the array")?;
            dimensions.push(dimension);
        }
        Ok(dimensions)
    }

    /// `3`, `{1, 2}`, `{x: 1, y: {2}}`
    pub(super) fn initialiser(&mut self) -> Parse<Initialiser> {
        let start = self.here();
        if !self.eat("{") {
            return Ok(Initialiser::Expr(self.expression()?));
        }
        let mut fields = Vec::new();
        loop {
            let field = if self.is_name_ahead(0) && self.is_ahead(1, ":") {
                let name = self.identifier("the name of a field")?;
                self.advance();
                Some(name)
            } else {
                None
            };
            fields.push((field, self.nested(Parser::initialiser)?));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}", "after the list of values")?;
        Ok(Initialiser::List { fields, span: self.since(start) })
    }

    /// Parameters without their parentheses, perhaps none.
    pub fn parameters(&mut self) -> Parse<Vec<Parameter>> {
        if self.vocabulary == Vocabulary::Old {
            return self.old_parameters();
        }
        let mut parameters = Vec::new();
        if self.at_end() || self.is(")") {
            return Ok(parameters);
        }
        loop {
            let ty = self.type_name()?;
            parameters.push(self.parameter(ty)?);
            if !self.eat(",") {
                return Ok(parameters);
            }
        }
    }

    /// `&x[3]`, behind its type.
    fn parameter(&mut self, ty: Type) -> Parse<Parameter> {
        let by_reference = self.eat("&");
        if ty.prefix.is_const && !self.is_name_ahead(0) && matches!(ty.base, BaseType::Named(_)) {
            let error = Diagnostic::new(Code::SYNTAX, ty.span, "the parameter has no type")
                .label("a type or a name is missing");
            return Err(self.error(error.help("constants of the old syntax are `const int` in the new one")));
        }
        let name = self.identifier("the name of the parameter")?;
        let dimensions = self.dimensions()?;
        Ok(Parameter { ty, by_reference, name, dimensions })
    }

    /// `(int a, int &b)`
    pub(super) fn parenthesised_parameters(&mut self) -> Parse<Vec<Parameter>> {
        self.expect("(", "before the parameters")?;
        let parameters = self.parameters()?;
        self.expect(")", "after the parameters")?;
        Ok(parameters)
    }

    /// `i : int[0,3], j : T`
    pub fn bindings(&mut self) -> Parse<Vec<(Ident, Type)>> {
        let mut bindings = Vec::new();
        loop {
            let name = self.identifier("a name")?;
            self.expect(":", "between the name and its type")?;
            bindings.push((name, self.type_name()?));
            if !self.eat(",") {
                return Ok(bindings);
            }
        }
    }
}
