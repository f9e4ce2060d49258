//! Variables and their parts: names, indexing, members.

use super::Checker;
use super::scope::{Symbol, closest};
use super::typed::{Kind, Typed};
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{Base, Expr, Index, IndexType, MemberBase, Place, ProcessId, ProcessRef, Range, TemplateId, Type};
use crate::source::Span;
use crate::syntax::ast;

impl Checker {
    pub(super) fn name(&mut self, name: &ast::Ident) -> Typed {
        let span = name.span;
        let Some(symbol) = self.scopes.resolve(&name.name).map(|entry| entry.symbol.clone()) else {
            let message = format!("there is nothing called `{}`", name.name);
            if self.context.in_query && closest(&name.name, [ast::Name::from("deadlock")].iter()).is_some() {
                let help = "did you mean `deadlock`?";
                self.report(Diagnostic::new(Code::UNKNOWN_NAME, span, message).help(help));
            } else if &*name.name == "cost" {
                let help = "`cost` is built in in UPPAAL CORA alone; here it would be a variable or a clock to declare";
                self.report(Diagnostic::new(Code::UNKNOWN_NAME, span, message).help(help));
            } else {
                self.report_unknown(Code::UNKNOWN_NAME, name, message);
            }
            return Typed::error(span);
        };
        let what = match symbol {
            Symbol::Variable(variable) => {
                return Typed {
                    kind: Kind::Place { place: variable.place, constant: variable.constant },
                    span,
                    writes: false,
                };
            }
            Symbol::Processes(set) => return self.process_name(set, span),
            Symbol::Broken => return Typed::error(span),
            Symbol::Type(_) => "a type",
            Symbol::Function(_) | Symbol::Builtin(_) | Symbol::Foreign(_) => "a function; it is called with `()`",
            Symbol::Template(_) | Symbol::Instance(_) => "a template",
            Symbol::Location(_) => "a location",
            Symbol::Branchpoint(_) => "a branchpoint",
            Symbol::LiveSequenceChart => "a live sequence chart",
        };
        let mut diagnostic =
            Diagnostic::new(Code::NOT_A_VALUE, span, format!("`{}` is {what}, not a value", name.name));
        if what == "a location" {
            diagnostic = diagnostic.help(format!("only queries can ask where a process is, as in `P.{}`", name.name));
        }
        if what == "a template" {
            let text = "the `system` line names processes; a query speaks about one of those, as in `P.location`";
            diagnostic = diagnostic.help(text);
        }
        self.report(diagnostic);
        Typed::error(span)
    }

    /// A name of the system line: one process, or a set that still needs arguments.
    fn process_name(&mut self, set: usize, span: Span) -> Typed {
        let processes = &self.network.sets[set];
        let kind = if processes.ranges.is_empty() {
            let process = ProcessRef { first: processes.first, indices: Vec::new() };
            Kind::Process(process, processes.template)
        } else {
            Kind::Processes(set)
        };
        Typed { kind, span, writes: false }
    }

    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Typed {
        let (array, at) = (self.expr(base), self.expr(index));
        if array.is_error() || at.is_error() {
            return Typed::error(span);
        }
        let writes = array.writes || at.writes;
        let Some((mut place, constant)) = self.as_place(&array) else {
            self.error(Code::TYPE, base.span, format!("only arrays have elements, and this is {}", array.kind));
            return Typed::error(span);
        };
        let Type::Array(array_type) = place.ty.clone() else {
            self.error(Code::TYPE, base.span, format!("only arrays have elements, and this is `{}`", place.ty));
            return Typed::error(span);
        };
        let value = match (array_type.index, self.value(&at)) {
            (IndexType::Scalar(set), Some((Type::Scalar(found), id))) if set == found => Some(id),
            (IndexType::Range(_) | IndexType::Unknown, Some((ty, id))) if ty.is_integral() => Some(id),
            _ => None,
        };
        let Some(value) = value else {
            let wanted = match array_type.index {
                IndexType::Scalar(_) => "a scalar of the set it was declared with",
                IndexType::Range(_) | IndexType::Unknown => "an integer",
            };
            self.error(Code::TYPE, index.span, format!("the index of this array must be {wanted}, not {}", at.kind));
            return Typed::error(span);
        };
        place.indices.push(Index {
            value,
            lo: array_type.index.lo(),
            len: array_type.index.count() as u32,
            stride: array_type.element.extent(),
        });
        place.ty = array_type.element.clone();
        Typed { kind: Kind::Place { place, constant }, span, writes }
    }

    /// A variable, or the place of a value that a function returned.
    fn as_place(&mut self, typed: &Typed) -> Option<(Place, bool)> {
        match &typed.kind {
            Kind::Place { place, constant } => Some((place.clone(), *constant)),
            Kind::Value(ty, id) if ty.is_aggregate() => {
                let place =
                    Place { base: Base::Value(*id), offset: Default::default(), indices: Vec::new(), ty: ty.clone() };
                Some((place, true))
            }
            _ => None,
        }
    }

    pub(super) fn member(&mut self, base: &ast::Expr, member: &ast::Ident, span: Span) -> Typed {
        let typed = self.expr(base);
        match &typed.kind {
            Kind::Error => return Typed::error(span),
            Kind::Process(process, template) => {
                return self.process_member(process.clone(), *template, member, span).writing(typed.writes);
            }
            Kind::Processes(set) => {
                let set = &self.network.sets[*set];
                let message = format!(
                    "`{}` names {} processes; say which one, as in `{}({})`",
                    set.name,
                    set.len,
                    set.name,
                    first_arguments(&set.ranges)
                );
                self.error(Code::ARGUMENTS, base.span, message);
                return Typed::error(span);
            }
            _ => {}
        }
        let Some((mut place, constant)) = self.as_place(&typed) else {
            self.error(Code::NO_MEMBER, base.span, format!("{} has no members", typed.kind));
            return Typed::error(span);
        };
        let Some((offset, ty)) = place.ty.field(&member.name).map(|(offset, ty)| (offset, ty.clone())) else {
            let message = match &place.ty {
                Type::Struct(_) => format!("this struct has no field `{}`", member.name),
                other => format!("`{other}` is not a struct and has no field `{}`", member.name),
            };
            let mut diagnostic = Diagnostic::new(Code::NO_MEMBER, member.span, message);
            if let Type::Struct(structure) = &place.ty
                && let Some(similar) = closest(&member.name, structure.fields.iter().map(|(name, _)| name))
            {
                diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
            }
            self.report(diagnostic);
            return Typed::error(span);
        };
        place.offset = place.offset + offset;
        place.ty = ty;
        Typed { kind: Kind::Place { place, constant }, span, writes: typed.writes }
    }

    /// What a name stands for inside a template.
    pub(super) fn member_symbol(&mut self, template: TemplateId, name: &str) -> Option<Symbol> {
        let entry = self.forms[template.index()].members.get(name)?;
        entry.mark_used();
        Some(entry.symbol.clone())
    }

    /// `P.loc`, `P.x`, `P.location`
    fn process_member(&mut self, process: ProcessRef, template: TemplateId, member: &ast::Ident, span: Span) -> Typed {
        let found = self.member_symbol(template, &member.name);
        match found {
            Some(Symbol::Location(location)) => {
                let id = self.code(Expr::LocationIs { process, location }, span);
                Typed::value(Type::Bool, id, span)
            }
            Some(Symbol::Variable(variable)) => {
                let mut place = variable.place;
                place.base = match place.base {
                    Base::Local => Base::Member(process, MemberBase::Local),
                    Base::LocalConstant => Base::Member(process, MemberBase::LocalConstant),
                    Base::Parameter(n) => Base::Member(process, MemberBase::Parameter(n)),
                    other => other,
                };
                Typed { kind: Kind::Place { place, constant: variable.constant }, span, writes: false }
            }
            None if &*member.name == "location" => {
                let id = self.code(Expr::LocationOf { process }, span);
                Typed::value(Type::Int(Range::FULL), id, span)
            }
            _ => {
                let name = &self.network.templates[template.index()].name;
                let message = format!("`{name}` has no location or variable `{}`", member.name);
                let mut diagnostic = Diagnostic::new(Code::NO_MEMBER, member.span, message);
                let members = &self.forms[template.index()].members;
                if let Some(similar) = closest(&member.name, members.iter().map(|(name, _)| name)) {
                    diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
                } else {
                    let is_location = |symbol: &Symbol| matches!(symbol, Symbol::Location(_));
                    let locations = members.iter().filter(|(_, entry)| is_location(&entry.symbol));
                    let list: Vec<String> = locations.take(8).map(|(name, _)| format!("`{name}`")).collect();
                    diagnostic = diagnostic.help(format!("its locations: {}", list.join(", ")));
                }
                self.report(diagnostic);
                Typed::error(span)
            }
        }
    }

    /// `T(3)`: one of the processes expanded from a template.
    pub(super) fn process_of_set(&mut self, set: usize, arguments: &[ast::Expr], span: Span) -> Typed {
        let ranges = self.network.sets[set].ranges.clone();
        let name = self.network.sets[set].name.clone();
        let first: ProcessId = self.network.sets[set].first;
        if arguments.len() != ranges.len() {
            let message = match ranges.len() {
                0 => format!("`{name}` is one process and takes no arguments"),
                n => format!("`{name}` takes {n} arguments here, as in `{name}({})`", first_arguments(&ranges)),
            };
            self.error(Code::ARGUMENTS, span, message);
            return Typed::error(span);
        }
        let mut stride = ranges.iter().map(|range| range.count()).product::<u64>();
        let mut indices = Vec::new();
        let mut writes = false;
        for (argument, range) in arguments.iter().zip(&ranges) {
            stride /= range.count().max(1);
            let typed = self.expr(argument);
            writes |= typed.writes;
            if typed.is_error() {
                return Typed::error(span);
            }
            let Some((_, value)) = self.value(&typed).filter(|(ty, _)| ty.is_discrete()) else {
                self.error(Code::TYPE, argument.span, format!("an integer is needed here, not {}", typed.kind));
                return Typed::error(span);
            };
            if let (Ok(crate::network::Value::Int(n)), 0) = self.evaluate(value)
                && !range.contains(n)
            {
                let message = format!("there is no process `{name}({n})`: the parameter runs over {range}");
                self.error(Code::OUT_OF_RANGE, argument.span, message);
                return Typed::error(span);
            }
            indices.push(crate::network::ProcessIndex { value, range: *range, stride: stride as u32 });
        }
        let kind = Kind::Process(ProcessRef { first, indices }, self.network.sets[set].template);
        Typed { kind, span, writes }
    }
}

/// `0,0` for two parameters that start at 0: an example of how to name a process.
fn first_arguments(ranges: &[Range]) -> String {
    ranges.iter().map(|range| range.lo.to_string()).collect::<Vec<_>>().join(",")
}
