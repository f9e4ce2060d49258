//! Processes: instances bind arguments, the system line expands free parameters, each process gets its cells.

use super::combination::{combination, combination_count};
use super::scope::{GLOBAL, Symbol};
use super::template::origin;
use super::typed::{Kind, Typed};
use super::{Checker, Context, InstanceDefinition, ParameterType, TemplateContext};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::network::{
    self, Argument, Base, ChannelKind, Effect, Engine, EvalError, Expr, ExprId, Extent, LocalConstants, Passing, Place,
    Process, ProcessId, ProcessSet, Range, Reference, ReferenceStore, StateView, TemplateId, Type, Value,
};
use crate::source::Span;
use crate::syntax::ast;
use std::collections::HashMap;

/// What a parameter of a template or instance stands for in one process.
#[derive(Clone, Debug)]
struct Bind {
    to: Binding,
    /// Whether the value comes from a free parameter of the system line.
    free: bool,
    /// The argument.
    span: Span,
}

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
        let Some(base) = self.template_or_instance(&instantiation.template) else {
            self.declare_broken(&instantiation.name);
            return;
        };
        let wanted = self.parameters_of(&base);
        let context = Context { template: Some(TemplateContext::default()), ..Context::default() };
        let outer = std::mem::replace(&mut self.context, context);
        self.scopes.push();
        let mut parameters = Vec::new();
        for (n, parameter) in instantiation.parameters.iter().flatten().enumerate() {
            let Some(declared) = self.parameter_type(parameter) else {
                self.declare_broken(&parameter.name);
                continue;
            };
            let passing = self.declare_parameter(&declared, n, None, false);
            parameters.push((declared, passing));
        }
        let arguments = self.instance_arguments(&instantiation, &wanted);
        self.scopes.pop();
        self.context = outer;
        let Some(arguments) = arguments else {
            self.declare_broken(&instantiation.name);
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
            Some(Symbol::Broken) => None,
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
        // A template with a mistake in its braces is not read at all.
        if self.is_incomplete {
            return;
        }
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
            self.right_number(&instantiation.template.name, wanted.len(), given, instantiation.span);
            return None;
        }
        let arguments: Vec<Option<Argument>> =
            given.iter().zip(wanted).map(|(argument, parameter)| self.instance_argument(argument, parameter)).collect();
        arguments.into_iter().collect()
    }

    fn instance_argument(&mut self, expr: &ast::Expr, parameter: &ParameterType) -> Option<Argument> {
        let typed = self.expr(expr);
        if typed.is_error() || !self.no_side_effects(&typed, expr, "an argument of a template") {
            return None;
        }
        let argument = if parameter.by_reference {
            self.reference_argument(&typed, parameter)
        } else {
            match &parameter.ty {
                Type::Double => {
                    let operand = self.operand(&typed);
                    operand.map(|operand| Argument::Value(self.double_of(operand, typed.span)))
                }
                ty => self.value(&typed).filter(|(found, _)| self.fits(ty, found)).map(|(_, id)| Argument::Value(id)),
            }
        };
        if argument.is_none() {
            let amp = if parameter.by_reference { "&" } else { "" };
            let message =
                format!("{} does not fit the parameter `{} {amp}{}`", typed.kind, parameter.ty, parameter.name.name);
            let diagnostic =
                Diagnostic::new(Code::ARGUMENTS, expr.span, message).note(parameter.name.span, "the parameter");
            self.report(match misfit(&typed, parameter) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        }
        argument.filter(|argument| self.is_computable(argument, expr.span))
    }

    /// Values and indices must be known before the system runs, also in instances that it does not use.
    fn is_computable(&mut self, argument: &Argument, span: Span) -> bool {
        let values = match argument {
            Argument::Value(id) => vec![*id],
            Argument::Reference(place) => place.indices.iter().map(|index| index.value).collect(),
        };
        for id in values {
            if let (Err(error @ EvalError::NotConstant(_)), _) = self.evaluate(id) {
                self.report_evaluation(error, span);
                return false;
            }
        }
        true
    }

    fn reference_argument(&mut self, typed: &Typed, parameter: &ParameterType) -> Option<Argument> {
        match &typed.kind {
            Kind::Place { place, constant } if parameter.constant || !constant => {
                if !self.equivalent(&parameter.ty, &place.ty) || !channel_fits(&parameter.ty, &place.ty) {
                    return None;
                }
                // Like a value: nothing can change it.
                Some(match place.base {
                    Base::Parameter(_) if *constant => Argument::Reference(place.clone()),
                    _ if parameter.constant => {
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
        let mut places: HashMap<&str, Span> = HashMap::new();
        for (name, priority) in &system.processes {
            if let Some(earlier) = places.insert(&name.name, name.span) {
                let message = format!("`{}` is listed twice", name.name);
                self.report(Diagnostic::new(Code::DUPLICATE, name.span, message).note(earlier, "first listed here"));
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
        let free = |values: &[i32]| -> Vec<Bind> {
            let binding = |value: &i32| Binding::Value { ints: vec![*value], doubles: Vec::new() };
            values.iter().map(|value| Bind { to: binding(value), free: true, span: name.span }).collect()
        };
        for n in 0..count {
            let values = combination(&ranges, n);
            let arguments = values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",");
            let process = if values.is_empty() { name.name.to_string() } else { format!("{}({arguments})", name.name) };
            if self.process(symbol, process, free(&values), priority, name.span).is_none() {
                return;
            }
        }
        let template = match self.network.processes.get(first.index()) {
            Some(process) => process.template,
            // No process at all: queries may still speak of them, as in `forall (i : int[0,-1]) P(i).x`.
            None => {
                let values: Vec<i32> = ranges.iter().map(|range| range.lo).collect();
                match self.bound_form(symbol, &name.name, free(&values), name.span) {
                    Some((template, _)) => template,
                    None => return,
                }
            }
        };
        self.network.sets.push(ProcessSet {
            name: name.name.clone(),
            template,
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
    fn process(&mut self, symbol: &Symbol, name: String, bindings: Vec<Bind>, priority: u32, span: Span) -> Option<()> {
        let (template, bindings) = self.bound_form(symbol, &name, bindings, span)?;
        self.values_fit(template, &bindings)?;
        let form = self.network.template(template);
        let parameters = form.parameters.iter().map(|parameter| parameter.passing).collect::<Vec<_>>();
        let (state_cells, constant_cells) = (form.state, form.constant_cells);
        let total = [self.state_end() + state_cells, self.constants_end() + constant_cells];
        if total.iter().any(|total| total.cells() > limits::CELLS) {
            let message = format!("the processes have too many variables: a model may have {} in all", limits::CELLS);
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

    /// The template of a process with its parameters bound, elaborated for their values.
    fn bound_form(
        &mut self,
        symbol: &Symbol,
        name: &str,
        bindings: Vec<Bind>,
        span: Span,
    ) -> Option<(TemplateId, Vec<Bind>)> {
        let (index, bindings) = self.bind_down(symbol.clone(), bindings)?;
        self.sizes_are_bound(index, &bindings, span)?;
        let values: Vec<Option<Vec<i32>>> = bindings
            .iter()
            .map(|bind| match &bind.to {
                Binding::Value { ints, .. } => Some(ints.clone()),
                Binding::Reference(_) => None,
            })
            .collect();
        let Some(template) = self.form(index, &values) else {
            if !self.diagnostics.has_errors() {
                let message = format!("the types of `{name}` depend on values that are not known");
                self.error(Code::FREE_PARAMETER, span, message);
            }
            return None;
        };
        self.sizes_are_bound(index, &bindings, span)?;
        Some((template, bindings))
    }

    /// A free parameter must not decide how many cells or edges its processes have.
    fn sizes_are_bound(&mut self, index: usize, bindings: &[Bind], span: Span) -> Option<()> {
        let definition = &self.templates[index];
        let free = (0..).zip(bindings).find(|(n, bind)| bind.free && definition.sizing & origin(*n) != 0);
        let Some((n, _)) = free else { return Some(()) };
        let parameter = definition.parameters.get(n)?.name.clone();
        let template = &definition.template.name.name;
        let message = format!(
            "`{template}` cannot be expanded over its parameter `{}`: an array, a scalar set or a select in it depends on the value",
            parameter.name
        );
        let help = format!("name each process with its arguments, as in `{template}1 = {template}(1);`");
        self.report(
            Diagnostic::new(Code::FREE_PARAMETER, span, message).note(parameter.span, "the parameter").help(help),
        );
        None
    }

    /// The type of a parameter may depend on the value of another one, so that a value may fit only the general form.
    fn values_fit(&mut self, template: TemplateId, bindings: &[Bind]) -> Option<()> {
        let misfit = self.network.template(template).parameters.iter().zip(bindings).find_map(|(parameter, bind)| {
            let Binding::Value { ints, .. } = &bind.to else { return None };
            let ([value], Type::Int(range)) = (ints.as_slice(), &parameter.ty) else { return None };
            let reason = || format!("the value {value} is outside the range {range}");
            (!range.contains(*value)).then(|| (parameter.name.clone(), reason(), bind.span))
        });
        let Some((parameter, reason, span)) = misfit else { return Some(()) };
        self.report_misfit(&parameter, &reason, span);
        None
    }

    fn report_misfit(&mut self, parameter: &str, reason: &str, span: Span) {
        let message = format!("this argument does not fit the parameter `{parameter}`: {reason}");
        self.error(Code::OUT_OF_RANGE, span, message);
    }

    /// Evaluates the initial values of a process's constants and variables, in the order declared.
    fn initialise_process(&mut self, form: usize, state: Extent, bound: &mut Bound) -> bool {
        let initialisers = std::mem::take(&mut self.forms[form].initialisers);
        let mut ok = true;
        for (place, id) in &initialisers {
            let (result, _) = self.evaluate_bound(*id, bound);
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
                    let Some(initial) = self.clock_initial(value, span) else {
                        ok = false;
                        continue;
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

    /// The second part tells which parameters were read.
    fn evaluate_bound(&self, id: ExprId, bound: &Bound) -> (Result<Value, EvalError>, u64) {
        // Nearly all initial values, of which there may be millions.
        if let Expr::Int(value) = self.network.code.expr(id) {
            return (Ok(Value::Int(*value)), 0);
        }
        let mut evaluator = self.evaluator(&bound.local);
        evaluator.references = &bound.references;
        let value = evaluator.value(id);
        let (origins, steps) = (evaluator.origins, evaluator.steps());
        self.spend(steps);
        (value, origins)
    }

    /// Follows instances down to the template, evaluating the arguments of each.
    fn bind_down(&mut self, mut symbol: Symbol, mut bindings: Vec<Bind>) -> Option<(usize, Vec<Bind>)> {
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
            let free = (0..).zip(&bindings).filter(|(_, bind)| bind.free).fold(0, |set, (n, _)| set | origin(n));
            let wanted = self.parameters_of(&base);
            bindings = Vec::with_capacity(arguments.len());
            for (argument, parameter) in arguments.iter().zip(&wanted) {
                bindings.push(self.bind_argument(argument, parameter, &bound, free)?);
            }
            symbol = base;
        }
    }

    fn bind_argument(
        &mut self,
        argument: &Argument,
        parameter: &ParameterType,
        bound: &Bound,
        free: u64,
    ) -> Option<Bind> {
        match argument {
            Argument::Value(id) => {
                let span = self.network.code.span(*id);
                let (value, origins) = self.evaluate_bound(*id, bound);
                let value = match value {
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
                        self.report_misfit(&parameter.name.name, &reason, span);
                        return None;
                    }
                };
                let (ints, doubles) = value.cells();
                if !parameter.by_reference {
                    return Some(Bind { to: Binding::Value { ints, doubles }, free: origins & free != 0, span });
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
                let to = Binding::Reference(Reference { store: ReferenceStore::Constants, offset });
                Some(Bind { to, free: false, span })
            }
            Argument::Reference(place) => {
                let to = Binding::Reference(self.bind_place(place, bound)?);
                Some(Bind { to, free: false, span: parameter.name.span })
            }
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
            match self.evaluate_bound(index.value, bound).0 {
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
            let mut evaluator = self.evaluator(&local);
            evaluator.references = &process.references;
            evaluator.state =
                Some(StateView { ints: &ints, doubles: &network.doubles, clocks: &network.clocks, process });
            let value = evaluator.value(invariant);
            let steps = evaluator.steps();
            self.spend(steps);
            if value == Ok(Value::Int(0)) {
                broken.push((process.name.clone(), location.name.clone(), network.code.span(invariant)));
            }
        }
        for (process, location, span) in broken {
            // Components of timed I/O models are asked about one by one; a query says that this one has no state.
            if self.timed_io {
                let reason = format!("`{process}` starts in `{location}`, whose invariant does not hold");
                self.network.fitness.add(&Engine::ALL, Effect::Excludes, &reason, Some(span));
                continue;
            }
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

fn bind(passings: &[Passing], bindings: &[Bind]) -> Bound {
    let mut bound = Bound { local: LocalConstants::default(), references: Vec::new() };
    for (n, (passing, binding)) in passings.iter().zip(bindings).enumerate() {
        match (passing, &binding.to) {
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

/// Why an argument does not fit a reference parameter.
fn misfit(typed: &Typed, parameter: &ParameterType) -> Option<&'static str> {
    match &typed.kind {
        _ if !parameter.by_reference => None,
        Kind::Place { place, .. } if !channel_fits(&parameter.ty, &place.ty) => {
            Some("an urgent channel needs an urgent parameter, a broadcast channel a broadcast or an urgent one")
        }
        Kind::Place { place, constant: true } if !parameter.constant && place.ty == parameter.ty => {
            Some("a constant can be passed for a `const` parameter only")
        }
        Kind::Place { .. } => Some("behind a reference the type must be the same, with the same range"),
        _ => Some("a reference needs a variable, an element with a constant index, or a field"),
    }
}

/// A plain channel may stand for a broadcast or an urgent one and a broadcast channel for an urgent one, never the other
/// way round.
fn channel_fits(parameter: &Type, argument: &Type) -> bool {
    let capability = |kind: &ChannelKind| match kind {
        ChannelKind { urgent: true, .. } => 0,
        ChannelKind { broadcast: true, .. } => 1,
        ChannelKind { .. } => 2,
    };
    match (parameter.innermost(), argument.innermost()) {
        (Type::Channel(parameter), Type::Channel(argument)) => capability(argument) >= capability(parameter),
        _ => true,
    }
}
