//! Processes: instances bind arguments, the system line expands free parameters, each process gets its cells.

use super::combination::{combination, combination_count};
use super::scope::{GLOBAL, Symbol};
use super::template::origin;
use super::typed::{Kind, Typed};
use super::{Checker, Context, InstanceDefinition, ParameterType, TemplateContext};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::network::{
    self, Argument, Base, ClockInitial, EvalError, Evaluator, ExprId, Extent, LocalConstants, Passing, Place, Process,
    ProcessId, ProcessSet, Range, Reference, ReferenceStore, StateView, Type, Value,
};
use crate::source::Span;
use crate::syntax::ast;

/// What a parameter of a template or instance stands for in one process.
#[derive(Clone, Debug)]
enum Binding {
    Value { ints: Vec<i32>, doubles: Vec<f64> },
    Reference(Reference),
}

/// The parameters of one process, as the evaluator wants them.
struct Bound {
    local: LocalConstants,
    references: Vec<Reference>,
}

impl Checker {
    pub(super) fn instantiation(&mut self, instantiation: ast::Instantiation) {
        let base = self.scopes.resolve(&instantiation.template.name).map(|entry| &entry.symbol);
        if let Some(Symbol::LiveSequenceChart) = base {
            self.declare(&instantiation.name, Symbol::LiveSequenceChart);
            return;
        }
        let Some(base) = self.template_or_instance(&instantiation.template) else { return };
        let wanted = self.parameters_of(&base);
        let context = Context { template: Some(TemplateContext::default()), ..Context::default() };
        let outer = std::mem::replace(&mut self.context, context);
        self.scopes.push();
        let mut parameters = Vec::new();
        for (n, parameter) in instantiation.parameters.iter().flatten().enumerate() {
            let Some(declared) = self.parameter_type(parameter) else { continue };
            let passing = self.declare_parameter(&declared, n, None, false);
            parameters.push((declared, passing));
        }
        let arguments = self.instance_arguments(&instantiation, &wanted);
        self.scopes.pop();
        self.context = outer;
        let Some(arguments) = arguments else {
            // Keep the name known, so that the system line is not reported as well.
            self.instances.push(InstanceDefinition {
                name: instantiation.name.clone(),
                parameters: Vec::new(),
                base,
                arguments: Vec::new(),
                used: true,
            });
            self.declare(&instantiation.name, Symbol::Instance(self.instances.len() - 1));
            return;
        };
        let name = instantiation.name.clone();
        self.instances.push(InstanceDefinition { name, parameters, base, arguments, used: false });
        self.declare(&instantiation.name, Symbol::Instance(self.instances.len() - 1));
    }

    fn template_or_instance(&mut self, name: &ast::Ident) -> Option<Symbol> {
        match self.scopes.resolve(&name.name).map(|entry| entry.symbol.clone()) {
            Some(symbol @ (Symbol::Template(_) | Symbol::Instance(_))) => {
                match symbol {
                    Symbol::Template(n) => self.templates[n].used = true,
                    Symbol::Instance(n) => self.instances[n].used = true,
                    _ => {}
                }
                Some(symbol)
            }
            Some(_) => {
                self.error(Code::NOT_A_TEMPLATE, name.span, format!("`{}` is not a template", name.name));
                None
            }
            None => {
                self.report_missing(name);
                None
            }
        }
    }

    /// A name that should be a process. In timed I/O models the system line is only a list of components, and files with
    /// names left over in it are about.
    pub(super) fn report_missing(&mut self, name: &ast::Ident) {
        let message = format!("there is no template or process `{}`", name.name);
        let code = if self.timed_io { Code::MISSING_COMPONENT } else { Code::NOT_A_TEMPLATE };
        self.report_unknown(code, name, message);
    }

    fn parameters_of(&self, symbol: &Symbol) -> Vec<ParameterType> {
        match symbol {
            Symbol::Template(n) => self.templates[*n].parameters.clone(),
            Symbol::Instance(n) => {
                self.instances[*n].parameters.iter().map(|(parameter, _)| parameter.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn instance_arguments(
        &mut self,
        instantiation: &ast::Instantiation,
        wanted: &[ParameterType],
    ) -> Option<Vec<Argument>> {
        let given = &instantiation.arguments;
        if given.len() != wanted.len() {
            let template = &instantiation.template.name;
            let message = format!("`{template}` takes {} arguments, and {} are given", wanted.len(), given.len());
            self.error(Code::ARGUMENTS, instantiation.span, message);
            return None;
        }
        let arguments: Vec<Option<Argument>> =
            given.iter().zip(wanted).map(|(argument, parameter)| self.instance_argument(argument, parameter)).collect();
        arguments.into_iter().collect()
    }

    fn instance_argument(&mut self, expr: &ast::Expr, parameter: &ParameterType) -> Option<Argument> {
        let typed = self.expr(expr);
        self.no_side_effects(&typed, expr, "an argument of a template");
        if typed.is_error() {
            return None;
        }
        let argument = if parameter.by_reference {
            self.reference_argument(&typed, parameter)
        } else {
            match &parameter.ty {
                Type::Double => {
                    let operand = self.operand(&typed);
                    operand.map(|operand| Argument::Value(self.to_double(operand, typed.span)))
                }
                ty => self.value(&typed).filter(|(found, _)| self.fits(ty, found)).map(|(_, id)| Argument::Value(id)),
            }
        };
        if argument.is_none() {
            let amp = if parameter.by_reference { "&" } else { "" };
            let message =
                format!("{} does not fit the parameter `{} {amp}{}`", typed.kind, parameter.ty, parameter.name.name);
            self.report(
                Diagnostic::new(Code::ARGUMENTS, expr.span, message).note(parameter.name.span, "the parameter"),
            );
        }
        argument
    }

    fn reference_argument(&mut self, typed: &Typed, parameter: &ParameterType) -> Option<Argument> {
        match &typed.kind {
            Kind::Place { place, constant } if parameter.constant || !constant => {
                if !self.equivalent(&parameter.ty, &place.ty) || !channel_fits(&parameter.ty, &place.ty) {
                    return None;
                }
                // Like a value: nothing can change it.
                Some(match place.base {
                    Base::LocalConstant | Base::Constant => {
                        let (_, id) = self.value(typed)?;
                        Argument::Value(id)
                    }
                    _ => Argument::Reference(place.clone()),
                })
            }
            Kind::Value(ty, id) if parameter.constant && self.fits(&parameter.ty, ty) => Some(Argument::Value(*id)),
            _ => None,
        }
    }

    /// The system line.
    pub(super) fn system(&mut self, system: &ast::System) {
        let mut listed: Vec<(Symbol, &ast::Ident, u32)> = Vec::new();
        for (name, priority) in &system.processes {
            if let Some((_, earlier, _)) = listed.iter().find(|(_, earlier, _)| **earlier == *name) {
                let message = format!("`{}` is listed twice", name.name);
                self.report(
                    Diagnostic::new(Code::DUPLICATE, name.span, message).note(earlier.span, "first listed here"),
                );
                continue;
            }
            if let Some(Symbol::LiveSequenceChart) = self.scopes.resolve(&name.name).map(|entry| &entry.symbol) {
                continue;
            }
            let Some(symbol) = self.template_or_instance(name) else { continue };
            listed.push((symbol, name, *priority));
        }
        if self.diagnostics.has_errors() {
            return;
        }
        for (symbol, name, priority) in &listed {
            self.process_set(symbol, name, *priority);
            if self.diagnostics.has_errors() {
                return;
            }
        }
        for (set, (_, name, _)) in listed.iter().enumerate() {
            if let Some(entry) = self.scopes.at(GLOBAL).and_then(|scope| scope.get_mut(&name.name)) {
                entry.symbol = Symbol::Processes(set);
            }
        }
    }

    /// One process, or one for each combination of the free parameters' values, the first parameter outermost.
    fn process_set(&mut self, symbol: &Symbol, name: &ast::Ident, priority: u32) {
        let parameters = self.parameters_of(symbol);
        let Some(ranges) =
            parameters.iter().map(|parameter| self.free_range(parameter, name)).collect::<Option<Vec<Range>>>()
        else {
            return;
        };
        let count = combination_count(&ranges);
        let room = limits::PROCESSES - self.network.processes.len() as u64;
        let Some(count) = count.filter(|count| *count <= room) else {
            let message =
                format!("`{}` stands for too many processes: a model may have {}", name.name, limits::PROCESSES);
            self.error(Code::SIZE, name.span, message);
            return;
        };
        let first = ProcessId::new(self.network.processes.len());
        for n in 0..count {
            let values = combination(&ranges, n);
            let arguments = values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",");
            let process = if values.is_empty() { name.name.to_string() } else { format!("{}({arguments})", name.name) };
            let bindings =
                values.iter().map(|value| Binding::Value { ints: vec![*value], doubles: Vec::new() }).collect();
            if self.process(symbol, process, bindings, priority, name.span).is_none() {
                return;
            }
        }
        self.network.sets.push(ProcessSet {
            name: name.name.clone(),
            first,
            len: count as u32,
            ranges,
            span: name.span,
        });
    }

    fn free_range(&mut self, parameter: &ParameterType, process: &ast::Ident) -> Option<Range> {
        let range = match &parameter.ty {
            _ if parameter.by_reference => None,
            Type::Int(range) if *range != Range::FULL && *range != Range::INT => Some(*range),
            Type::Scalar(_) => Some(parameter.ty.range()),
            _ => None,
        };
        if range.is_none() {
            let amp = if parameter.by_reference { "&" } else { "" };
            let message = format!(
                "`{}` cannot be listed as it is: its parameter `{} {amp}{}` needs an argument",
                process.name, parameter.ty, parameter.name.name
            );
            let help = "only bounded integers such as `int[0,3]` and scalars are expanded to one process per value";
            let diagnostic = Diagnostic::new(Code::FREE_PARAMETER, process.span, message);
            self.report(diagnostic.note(parameter.name.span, "the parameter").help(help));
        }
        range
    }

    /// Adds one process; `None` when something about it was reported.
    fn process(
        &mut self,
        symbol: &Symbol,
        name: String,
        bindings: Vec<Binding>,
        priority: u32,
        span: Span,
    ) -> Option<()> {
        let (index, bindings) = self.bind_down(symbol.clone(), bindings)?;
        let values: Vec<Option<Vec<i32>>> = bindings
            .iter()
            .map(|binding| match binding {
                Binding::Value { ints, .. } => Some(ints.clone()),
                Binding::Reference(_) => None,
            })
            .collect();
        let Some(template) = self.form(index, &values) else {
            if !self.diagnostics.has_errors() {
                self.error(
                    Code::FREE_PARAMETER,
                    span,
                    format!("the types of `{name}` depend on values that are not known"),
                );
            }
            return None;
        };
        let form = self.network.template(template);
        let parameters = form.parameters.iter().map(|parameter| parameter.passing).collect::<Vec<_>>();
        let (state_cells, constant_cells) = (form.state, form.constant_cells);
        let total = self.state_end() + state_cells + constant_cells;
        if total.cells() > limits::CELLS {
            let message =
                format!("the variables of all processes are too large: a model may have {} cells", limits::CELLS);
            self.error(Code::SIZE, span, message);
            return None;
        }
        let mut bound = bind(&parameters, &bindings);
        bound.local.ints.resize(constant_cells.ints as usize, Some(0));
        bound.local.doubles.resize(constant_cells.doubles as usize, Some(0.0));
        let state = self.state_end();
        let variables = form.variables.iter().map(|variable| (variable.ty.clone(), variable.meta)).collect::<Vec<_>>();
        variables.iter().for_each(|(ty, meta)| self.add_state_cells(ty, *meta));
        let ok = self.initialise_process(template.index(), state, &mut bound);
        let constants = Extent {
            ints: self.network.constants.ints.len() as u32,
            doubles: self.network.constants.doubles.len() as u32,
            ..Extent::default()
        };
        self.network.constants.ints.extend(bound.local.ints.iter().map(|value| value.unwrap_or(0)));
        self.network.constants.doubles.extend(bound.local.doubles.iter().map(|value| value.unwrap_or(0.0)));
        self.network.processes.push(Process {
            name,
            template,
            priority,
            state,
            constants,
            references: bound.references,
        });
        ok.then_some(())
    }

    /// Evaluates the initial values of a process's constants and variables, in the order declared.
    fn initialise_process(&mut self, form: usize, state: Extent, bound: &mut Bound) -> bool {
        let initialisers = std::mem::take(&mut self.forms[form].initialisers);
        let mut ok = true;
        for (place, id) in &initialisers {
            let result = self.evaluate_bound(*id, bound);
            let span = self.network.code.span(*id);
            let value = match result.map(|value| network::fit(value, &place.ty)) {
                Ok(Ok(value)) => value,
                Ok(Err(reason)) => {
                    self.error(Code::OUT_OF_RANGE, span, format!("this initial value does not fit: {reason}"));
                    ok = false;
                    continue;
                }
                // A foreign function: the variable keeps its default value, and no engine runs the model.
                Err(EvalError::Unknown) => continue,
                Err(error) => {
                    self.report_evaluation(error, span);
                    ok = false;
                    continue;
                }
            };
            match (&place.base, &place.ty) {
                (Base::LocalConstant, _) => bound.set(place.offset, value),
                (_, Type::Clock { .. }) => {
                    let initial = match value {
                        Value::Int(value) => ClockInitial::Int(value),
                        Value::Double(value) => ClockInitial::Double(value),
                        _ => continue,
                    };
                    if let Some(clock) = self.network.clocks.get_mut((state + place.offset).clocks as usize) {
                        clock.initial = initial;
                    }
                }
                _ => self.set_initial(state + place.offset, value),
            }
        }
        self.forms[form].initialisers = initialisers;
        ok
    }

    fn set_initial(&mut self, offset: Extent, value: Value) {
        let (ints, doubles) = value.cells();
        for (cell, value) in self.network.ints.iter_mut().skip(offset.ints as usize).zip(ints) {
            cell.initial = value;
        }
        for (cell, value) in self.network.doubles.iter_mut().skip(offset.doubles as usize).zip(doubles) {
            *cell = value;
        }
    }

    fn evaluate_bound(&self, id: ExprId, bound: &Bound) -> Result<Value, EvalError> {
        let network = &self.network;
        let mut evaluator = Evaluator::new(&network.code, &network.constants, &bound.local, network.frame);
        evaluator.references = &bound.references;
        evaluator.value(id)
    }

    /// Follows instances down to the template, evaluating the arguments of each.
    fn bind_down(&mut self, mut symbol: Symbol, mut bindings: Vec<Binding>) -> Option<(usize, Vec<Binding>)> {
        loop {
            let n = match symbol {
                Symbol::Template(index) => return Some((index, bindings)),
                Symbol::Instance(n) => n,
                _ => return None,
            };
            let instance = &self.instances[n];
            let passings: Vec<Passing> = instance.parameters.iter().map(|(_, passing)| *passing).collect();
            let (base, arguments) = (instance.base.clone(), instance.arguments.clone());
            let bound = bind(&passings, &bindings);
            let wanted = self.parameters_of(&base);
            bindings = Vec::with_capacity(arguments.len());
            for (argument, parameter) in arguments.iter().zip(&wanted) {
                bindings.push(self.bind_argument(argument, parameter, &bound)?);
            }
            symbol = base;
        }
    }

    fn bind_argument(&mut self, argument: &Argument, parameter: &ParameterType, bound: &Bound) -> Option<Binding> {
        match argument {
            Argument::Value(id) => {
                let span = self.network.code.span(*id);
                let value = match self.evaluate_bound(*id, bound) {
                    Ok(value) => value,
                    Err(EvalError::Unknown) => {
                        self.error(
                            Code::NOT_CONSTANT,
                            span,
                            "a process cannot be bound to the result of a foreign function",
                        );
                        return None;
                    }
                    Err(error) => {
                        self.report_evaluation(error, span);
                        return None;
                    }
                };
                let value = match network::fit(value, &parameter.ty) {
                    Ok(value) => value,
                    Err(reason) => {
                        let message =
                            format!("this argument does not fit the parameter `{}`: {reason}", parameter.name.name);
                        self.error(Code::OUT_OF_RANGE, span, message);
                        return None;
                    }
                };
                let (ints, doubles) = value.cells();
                if !parameter.by_reference {
                    return Some(Binding::Value { ints, doubles });
                }
                // A constant behind a reference: it gets cells of its own.
                let constants = &mut self.network.constants;
                let offset = Extent {
                    ints: constants.ints.len() as u32,
                    doubles: constants.doubles.len() as u32,
                    ..Extent::default()
                };
                constants.ints.extend(ints);
                constants.doubles.extend(doubles);
                Some(Binding::Reference(Reference { store: ReferenceStore::Constants, offset }))
            }
            Argument::Reference(place) => self.bind_place(place, bound).map(Binding::Reference),
        }
    }

    fn bind_place(&mut self, place: &Place, bound: &Bound) -> Option<Reference> {
        let mut reference = match place.base {
            Base::Parameter(n) => *bound.references.get(n as usize)?,
            _ => Reference { store: ReferenceStore::State, offset: Extent::default() },
        };
        reference.offset = reference.offset + place.offset;
        for index in &place.indices {
            let span = self.network.code.span(index.value);
            match self.evaluate_bound(index.value, bound) {
                Ok(Value::Int(value)) => {
                    let at = i64::from(value) - i64::from(index.lo);
                    if at < 0 || at >= i64::from(index.len) {
                        self.error(Code::OUT_OF_RANGE, span, format!("the index {value} is outside the array"));
                        return None;
                    }
                    reference.offset = reference.offset + index.stride.times(at as u64).unwrap_or_default();
                }
                Ok(_) => return None,
                Err(error) => {
                    self.report_evaluation(error, span);
                    return None;
                }
            }
        }
        Some(reference)
    }

    /// The invariants of the initial locations must hold at the start.
    pub(super) fn initial_state(&mut self) {
        let network = &self.network;
        let ints: Vec<i32> = network.ints.iter().map(|cell| cell.initial).collect();
        let mut broken = Vec::new();
        for process in &network.processes {
            let template = network.template(process.template);
            let location = template.location(template.initial);
            let Some(invariant) = location.invariant else { continue };
            let cells = process.constants.ints as usize..(process.constants + template.constant_cells).ints as usize;
            let double_cells =
                process.constants.doubles as usize..(process.constants + template.constant_cells).doubles as usize;
            let local = LocalConstants {
                ints: network.constants.ints.get(cells).unwrap_or(&[]).iter().map(|value| Some(*value)).collect(),
                doubles: network
                    .constants
                    .doubles
                    .get(double_cells)
                    .unwrap_or(&[])
                    .iter()
                    .map(|value| Some(*value))
                    .collect(),
                ..LocalConstants::default()
            };
            let mut evaluator = Evaluator::new(&network.code, &network.constants, &local, network.frame);
            evaluator.references = &process.references;
            evaluator.state =
                Some(StateView { ints: &ints, doubles: &network.doubles, clocks: &network.clocks, process });
            if evaluator.value(invariant) == Ok(Value::Int(0)) {
                broken.push((process.name.clone(), location.name.clone(), network.code.span(invariant)));
            }
        }
        for (process, location, span) in broken {
            let message = format!("`{process}` starts in `{location}`, whose invariant does not hold at the start");
            self.error(Code::INITIAL_STATE, span, message);
        }
    }

    /// The process that an expression with constant arguments names.
    pub(super) fn fixed_process(&mut self, typed: &Typed) -> Option<ProcessId> {
        let Kind::Process(process, _) = &typed.kind else { return None };
        let mut index = process.first.index();
        for part in &process.indices {
            match self.evaluate(part.value).0 {
                Ok(Value::Int(value)) => {
                    index += (i64::from(value) - i64::from(part.range.lo)) as usize * part.stride as usize
                }
                Ok(_) => return None,
                Err(error) => {
                    self.report_evaluation(error, typed.span);
                    return None;
                }
            }
        }
        Some(ProcessId::new(index))
    }
}

impl Bound {
    fn set(&mut self, offset: Extent, value: Value) {
        let (ints, doubles) = value.cells();
        for (cell, value) in self.local.ints.iter_mut().skip(offset.ints as usize).zip(ints) {
            *cell = Some(value);
        }
        for (cell, value) in self.local.doubles.iter_mut().skip(offset.doubles as usize).zip(doubles) {
            *cell = Some(value);
        }
    }
}

fn bind(passings: &[Passing], bindings: &[Binding]) -> Bound {
    let mut bound = Bound { local: LocalConstants::default(), references: Vec::new() };
    for (n, (passing, binding)) in passings.iter().zip(bindings).enumerate() {
        match (passing, binding) {
            (Passing::Value(_), Binding::Value { ints, doubles }) => {
                bound.local.ints.extend(ints.iter().map(|value| Some(*value)));
                bound.local.doubles.extend(doubles.iter().map(|value| Some(*value)));
                bound.local.int_origins.resize(bound.local.ints.len(), origin(n));
                bound.local.double_origins.resize(bound.local.doubles.len(), origin(n));
            }
            (_, Binding::Reference(reference)) => bound.references.push(*reference),
            (Passing::Reference(_), Binding::Value { .. }) => {}
        }
    }
    bound
}

/// A channel that is urgent or broadcast can only be passed as such a one.
fn channel_fits(parameter: &Type, argument: &Type) -> bool {
    match (parameter.innermost(), argument.innermost()) {
        (Type::Channel(parameter), Type::Channel(argument)) => {
            (parameter.urgent || parameter.broadcast || !argument.urgent)
                && (parameter.broadcast || parameter.urgent || !argument.broadcast)
        }
        _ => true,
    }
}
