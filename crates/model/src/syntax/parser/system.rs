//! What stands around the system line: processes, priorities, inputs and outputs, progress measures, Gantt charts, and
//! queries kept in the model.

use super::super::ast::*;
use super::{Parse, Parser};

impl Parser<'_> {
    /// `system A, B < C;`
    pub(super) fn system_line(&mut self) -> Parse<System> {
        let start = self.here();
        self.advance();
        let mut priority = 0;
        let mut processes = vec![(self.identifier("the name of a process")?, priority)];
        loop {
            if self.eat("<") {
                priority += 1;
            } else if !self.eat(",") {
                break;
            }
            processes.push((self.identifier("the name of a process")?, priority));
        }
        self.expect_semicolon("after the system line")?;
        Ok(System { processes, span: self.since(start) })
    }

    /// `chan priority a, d[0] < default < b;`
    pub(super) fn channel_priority(&mut self) -> Parse<ChannelPriority> {
        let start = self.here();
        self.advance();
        self.advance();
        let mut level = 0;
        let mut levels = Vec::new();
        loop {
            let channel = if self.eat_word("default") { None } else { Some(self.postfix_expression()?) };
            levels.push((channel, level));
            if self.eat("<") {
                level += 1;
            } else if !self.eat(",") {
                break;
            }
        }
        self.expect_semicolon("after the channel priorities")?;
        Ok(ChannelPriority { levels, span: self.since(start) })
    }

    /// Whether `IO` starts a declaration of inputs and outputs, and is not a type in front of a function.
    pub(super) fn at_io(&self) -> bool {
        let function =
            || self.is_name_ahead(3) && self.is_name_ahead(4) || matches!(self.word_ahead(3), "int" | "bool" | "const");
        self.is_name_ahead(1) && (self.is_ahead(2, "{") || self.is_ahead(2, "(") && !function())
    }

    /// `IO P(2) { a?, b[2]! }`
    pub(super) fn io_declaration(&mut self) -> Parse<IoDeclaration> {
        let start = self.here();
        self.advance();
        let process = self.identifier("the name of a process")?;
        let arguments = if self.is("(") { self.arguments()? } else { Vec::new() };
        self.expect("{", "before the inputs and outputs")?;
        let mut actions = Vec::new();
        while !self.is("}") {
            actions.push(self.sync()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}", "after the inputs and outputs")?;
        self.eat(";");
        Ok(IoDeclaration { process, arguments, actions, span: self.since(start) })
    }

    /// `progress { guard : measure; measure; }`
    pub(super) fn progress(&mut self, measures: &mut Vec<ProgressMeasure>) -> Parse<()> {
        self.advance();
        self.advance();
        while !self.eat("}") {
            let first = self.expression()?;
            let measure = if self.eat(":") {
                ProgressMeasure { guard: Some(first), measure: self.expression()? }
            } else {
                ProgressMeasure { guard: None, measure: first }
            };
            measures.push(measure);
            self.expect(";", "after the progress measure")?;
        }
        Ok(())
    }

    /// `gantt { G(i : T) : for (j : U) c -> 1, d -> 2; }`
    pub(super) fn gantt(&mut self, charts: &mut Vec<GanttChart>) -> Parse<()> {
        self.advance();
        self.advance();
        while !self.eat("}") {
            let name = self.identifier("the name of a Gantt chart")?;
            let mut parameters = Vec::new();
            if self.eat("(") {
                parameters = self.bindings()?;
                self.expect(")", "after the parameters")?;
            }
            self.expect(":", "before the bars of the Gantt chart")?;
            let mut bars = vec![self.gantt_bar()?];
            while self.eat(",") {
                bars.push(self.gantt_bar()?);
            }
            self.expect(";", "after the bars of the Gantt chart")?;
            charts.push(GanttChart { name, parameters, bars });
        }
        Ok(())
    }

    fn gantt_bar(&mut self) -> Parse<GanttBar> {
        let mut select = Vec::new();
        if self.eat_word("for") {
            self.expect("(", "after `for`")?;
            select = self.bindings()?;
            self.expect(")", "after the bound variables")?;
        }
        let condition = self.expression()?;
        self.expect("->", "between condition and colour")?;
        Ok(GanttBar { select, condition, colour: self.expression()? })
    }

    /// `query { E<> P.goal }`: found here, parsed later.
    pub(super) fn query_block(&mut self) -> Parse<QuerySource> {
        self.advance();
        let open = self.advance();
        let braces = self.braces;
        while !(self.is("}") && self.braces == braces || self.at_end()) {
            self.advance();
        }
        let inside = open.end as usize..self.token().start as usize;
        self.expect("}", "after the query")?;
        self.eat(";");
        let text = self.text.slice(inside.clone());
        let span = self.text.span(inside);
        // Characters that only queries have are no mistakes here.
        self.errors.retain(|error| error.span.is_none_or(|place| place.start < span.start || place.start >= span.end));
        Ok(QuerySource { text, span, comment: String::new(), expect: None, options: Vec::new() })
    }
}
