//! Declarations: variables and constants with their initial values, types, foreign functions.

use super::Checker;
use super::scope::{Foreign, Symbol, TypeSymbol, Variable};
use super::types::Qualified;
use crate::diagnostic::{Code, Diagnostic};
use crate::limits;
use crate::network::{
    self, Base, Channel, Clock, ClockInitial, Effect, Engine, EvalError, ExprId, Extent, IndexType, IntCell, Place,
    Range, Statement, Type, Value,
};
use crate::source::Span;
use crate::syntax::ast::{self, Ident};

impl Checker {
    pub(super) fn declaration(&mut self, declaration: &ast::Declaration) {
        match declaration {
            ast::Declaration::Variables(variables) => self.variables(variables),
            ast::Declaration::Typedef { ty, names, .. } => self.typedef(ty, names),
            ast::Declaration::Function(function) => self.function(function),
        }
    }

    pub(super) fn typedef(&mut self, ty: &ast::Type, names: &[ast::Declarator]) {
        self.defining = names.iter().map(|declarator| declarator.name.name.clone()).collect();
        let (base, origins) = self.with_origins(|checker| checker.resolve_type(ty));
        self.defining.clear();
        for declarator in names {
            let name = &declarator.name;
            let (ty, more) = self.with_origins(|checker| {
                let base = base.as_ref()?;
                checker.dimensions(base.ty.clone(), &declarator.dimensions, name.span)
            });
            match (ty, &base) {
                (Some(ty), Some(base)) => {
                    let symbol = TypeSymbol {
                        ty,
                        constant: base.constant,
                        meta: base.meta,
                        fixed_range: base.fixed_range,
                        origins: origins | more,
                    };
                    self.declare(name, Symbol::Type(symbol));
                }
                _ => self.declare_broken(name),
            }
        }
    }

    /// Global variables, or those of a template.
    fn variables(&mut self, variables: &ast::Variables) {
        let Some(base) = self.resolve_type(&variables.ty) else {
            // Declare the names all the same, so that their uses are not reported as well.
            variables.declarators.iter().for_each(|declarator| self.declare_broken(&declarator.name));
            return;
        };
        for declarator in &variables.declarators {
            match self.dimensions(base.ty.clone(), &declarator.dimensions, declarator.name.span) {
                Some(ty) => self.variable(&Qualified { ty, ..base.clone() }, declarator),
                None => self.declare_broken(&declarator.name),
            }
        }
    }

    /// A name about whose declaration everything is said, so that its uses are not reported as well.
    pub(super) fn declare_broken(&mut self, name: &Ident) {
        self.declare(name, Symbol::Broken);
    }

    fn variable(&mut self, declared: &Qualified, declarator: &ast::Declarator) {
        let name = &declarator.name;
        if !self.allowed(declared, declarator) {
            self.declare_broken(name);
            return;
        }
        let ty = declared.ty.clone();
        let place = match (self.in_template(), declared.constant) {
            (false, true) => self.new_place(Base::Constant, self.constants_end(), ty.clone(), name),
            (false, false) => self.new_place(Base::Global, self.state_end(), ty.clone(), name),
            (true, constant) => {
                let end = self.context.template.as_ref().map_or(Extent::default(), |template| {
                    if constant { template.constant_cells } else { template.state }
                });
                self.new_place(if constant { Base::LocalConstant } else { Base::Local }, end, ty.clone(), name)
            }
        };
        let Some(place) = place else {
            self.declare_broken(name);
            return;
        };
        let initial = self.with_fresh_frame(|checker| match checker.override_of(name, declared) {
            Some(id) => vec![(place.clone(), id)],
            None => declarator
                .initialiser
                .as_ref()
                .map(|initialiser| checker.initialiser(&place, initialiser))
                .unwrap_or_default(),
        });
        let variable = network::Variable {
            name: name.name.clone(),
            ty,
            offset: place.offset,
            meta: declared.meta,
            span: name.span,
        };
        match (self.in_template(), declared.constant) {
            (false, true) => self.global_constant(variable, initial),
            (false, false) => self.global_variable(variable, initial),
            (true, constant) => self.local_variable(variable, initial, constant),
        }
        let symbol = Variable { place, constant: declared.constant, fixed_range: declared.fixed_range };
        self.declare(name, Symbol::Variable(symbol));
    }

    fn new_place(&mut self, base: Base, offset: Extent, ty: Type, name: &Ident) -> Option<Place> {
        if (offset + ty.extent()).cells() > limits::CELLS {
            let message = format!("`{}` is too large: a model may have {} variables in all", name.name, limits::CELLS);
            self.error(Code::SIZE, name.span, message);
            return None;
        }
        Some(Place { base, offset, indices: Vec::new(), ty })
    }

    pub(super) fn constants_end(&self) -> Extent {
        let constants = &self.network.constants;
        Extent { ints: constants.ints.len() as u32, doubles: constants.doubles.len() as u32, ..Extent::default() }
    }

    pub(super) fn state_end(&self) -> Extent {
        Extent {
            ints: self.network.ints.len() as u32,
            doubles: self.network.doubles.len() as u32,
            clocks: self.network.clocks.len() as u32,
            channels: self.network.channels.len() as u32,
        }
    }

    /// Whether a variable of the type can be declared here at all.
    fn allowed(&mut self, declared: &Qualified, declarator: &ast::Declarator) -> bool {
        let name = &declarator.name;
        let (ty, inner) = (&declared.ty, declared.ty.innermost().clone());
        let mut refuse = |code: Code, message: String| {
            self.error(code, name.span, message);
            false
        };
        match &inner {
            Type::Void => return refuse(Code::TYPE_NOT_ALLOWED, format!("`{}` cannot be `void`", name.name)),
            Type::String if !declared.constant => {
                return refuse(Code::TYPE_NOT_ALLOWED, "a string must be `const`".to_owned());
            }
            Type::Clock { .. } | Type::Channel(_) if declared.constant => {
                return refuse(Code::TYPE_NOT_ALLOWED, format!("`{inner}` cannot be `const`"));
            }
            _ => {}
        }
        if let Some(range) = empty_range(ty) {
            return refuse(Code::RANGE, format!("the range {range} is empty, so `{}` has no value", name.name));
        }
        let dynamic_clock = ty.contains(&|part| matches!(part, Type::Clock { .. }));
        if declared.meta && dynamic_clock {
            return refuse(Code::TYPE_NOT_ALLOWED, "a clock cannot be `meta`".to_owned());
        }
        if declared.constant && declarator.initialiser.is_none() && !self.is_overridden(name) {
            let message = format!("the constant `{}` needs a value", name.name);
            self.report(
                Diagnostic::new(Code::INITIALISER, name.span, message).help(format!("write `{} = ...`", name.name)),
            );
        }
        true
    }

    fn global_constant(&mut self, variable: network::Variable, initial: Vec<(Place, ExprId)>) {
        let mut ints = Vec::new();
        variable.ty.for_each_int(&mut |range| ints.push(if range.contains(0) { 0 } else { range.lo }));
        self.network.constants.ints.extend(ints);
        let doubles = self.network.constants.doubles.len() + variable.ty.extent().doubles as usize;
        self.network.constants.doubles.resize(doubles, 0.0);
        for (place, id) in initial {
            let Some((offset, value)) = self.initial_value(&place, id) else { continue };
            let constants = &mut self.network.constants;
            write_cells(&mut constants.ints, &mut constants.doubles, offset, value);
        }
        self.network.global_constants.push(variable);
    }

    fn global_variable(&mut self, variable: network::Variable, initial: Vec<(Place, ExprId)>) {
        self.add_state_cells(&variable.ty, variable.meta);
        for (place, id) in initial {
            self.initialise_state(&place, id);
        }
        self.network.globals.push(variable);
    }

    /// Adds the cells of a variable to the state, with default values.
    pub(super) fn add_state_cells(&mut self, ty: &Type, meta: bool) {
        let ints = &mut self.network.ints;
        ty.for_each_int(&mut |range| {
            let initial = if range.contains(0) { 0 } else { range.lo };
            ints.push(IntCell { range, initial, meta });
        });
        let extent = ty.extent();
        let doubles = self.network.doubles.len() + extent.doubles as usize;
        self.network.doubles.resize(doubles, 0.0);
        add_clocks(ty, &mut self.network.clocks);
        if let Type::Channel(kind) = ty.innermost() {
            let channels = self.network.channels.len() + extent.channels as usize;
            self.network.channels.resize(channels, Channel { kind: *kind, priority: 0 });
        }
    }

    /// Evaluates an initialiser and writes it to the initial state.
    fn initialise_state(&mut self, place: &Place, id: ExprId) {
        if matches!(place.ty, Type::Clock { .. }) {
            self.initialise_clock(place, id);
            return;
        }
        let Some((offset, value)) = self.initial_value(place, id) else { return };
        let (ints, doubles) = value.cells();
        for (n, value) in ints.into_iter().enumerate() {
            if let Some(cell) = self.network.ints.get_mut(offset.ints as usize + n) {
                cell.initial = value;
            }
        }
        for (n, value) in doubles.into_iter().enumerate() {
            if let Some(cell) = self.network.doubles.get_mut(offset.doubles as usize + n) {
                *cell = value;
            }
        }
    }

    fn initialise_clock(&mut self, place: &Place, id: ExprId) {
        let (result, _) = self.evaluate(id);
        let span = self.network.code.span(id);
        match result {
            Ok(value) => {
                if let Some(initial) = self.clock_initial(value, span)
                    && let Some(clock) = self.network.clocks.get_mut(place.offset.clocks as usize)
                {
                    clock.initial = initial;
                }
            }
            Err(error) => self.report_evaluation(error, span),
        }
    }

    /// Where a clock starts; `None` when it cannot start there (reported).
    pub(super) fn clock_initial(&mut self, value: Value, span: Span) -> Option<ClockInitial> {
        let (initial, is_negative) = match value {
            Value::Int(value) => (ClockInitial::Int(value), value < 0),
            Value::Double(value) => {
                let reason = "a clock starts at a floating-point value";
                self.obstacle(&[Engine::Symbolic, Engine::Concrete], Effect::Excludes, reason, span);
                (ClockInitial::Double(value), value < 0.0)
            }
            Value::Cells { .. } | Value::Void => return None,
        };
        if is_negative {
            self.error(Code::OUT_OF_RANGE, span, "a clock cannot start below 0");
            return None;
        }
        Some(initial)
    }

    /// The value of an initialiser, fitted to its variable, and where it goes.
    pub(super) fn initial_value(&mut self, place: &Place, id: ExprId) -> Option<(Extent, Value)> {
        let span = self.network.code.span(id);
        let (result, _) = self.evaluate(id);
        match result.map(|value| network::fit(value, &place.ty)) {
            Ok(Ok(value)) => Some((place.offset, value)),
            Ok(Err(reason)) => {
                self.error(Code::OUT_OF_RANGE, span, format!("this initial value does not fit: {reason}"));
                None
            }
            Err(error) => {
                self.report_evaluation(error, span);
                None
            }
        }
    }

    fn local_variable(&mut self, variable: network::Variable, initial: Vec<(Place, ExprId)>, constant: bool) {
        if constant {
            self.local_constant(variable, initial);
            return;
        }
        // Whatever the parameters are, an initial value must not need a running system.
        for (place, id) in &initial {
            if let (Err(error @ EvalError::NotConstant(_)), _) = self.evaluate(*id) {
                self.report_evaluation(error, self.network.code.span(*id));
            } else if !matches!(place.ty, Type::Clock { .. }) {
                self.initial_value(place, *id);
            }
        }
        let Some(template) = &mut self.context.template else { return };
        template.state = template.state + variable.ty.extent();
        template.variables.push(variable);
        template.initialisers.extend(initial);
    }

    /// A constant of a template: known as far as the parameters are.
    pub(super) fn local_constant(&mut self, variable: network::Variable, initial: Vec<(Place, ExprId)>) {
        let extent = variable.ty.extent();
        let values: Vec<_> = initial
            .iter()
            .map(|(place, id)| {
                let origins = self.evaluate(*id).1;
                (self.initial_value(place, *id), place.offset, place.ty.extent(), origins)
            })
            .collect();
        let Some(template) = &mut self.context.template else { return };
        let local = &mut template.local;
        local.ints.resize(local.ints.len() + extent.ints as usize, Some(0));
        local.int_origins.resize(local.ints.len(), 0);
        local.doubles.resize(local.doubles.len() + extent.doubles as usize, Some(0.0));
        local.double_origins.resize(local.doubles.len(), 0);
        for (value, offset, extent, origins) in values {
            let (ints, doubles) = match value.map(|(_, value)| value) {
                Some(Value::Int(value)) => (vec![Some(value)], Vec::new()),
                Some(Value::Double(value)) => (Vec::new(), vec![Some(value)]),
                Some(Value::Cells { ints, doubles }) => {
                    (ints.into_iter().map(Some).collect(), doubles.into_iter().map(Some).collect())
                }
                _ => (vec![None; extent.ints as usize], vec![None; extent.doubles as usize]),
            };
            for (n, value) in ints.into_iter().enumerate() {
                let at = offset.ints as usize + n;
                if let (Some(cell), Some(origin)) = (local.ints.get_mut(at), local.int_origins.get_mut(at)) {
                    (*cell, *origin) = (value, origins);
                }
            }
            for (n, value) in doubles.into_iter().enumerate() {
                let at = offset.doubles as usize + n;
                if let (Some(cell), Some(origin)) = (local.doubles.get_mut(at), local.double_origins.get_mut(at)) {
                    (*cell, *origin) = (value, origins);
                }
            }
        }
        template.constant_cells = template.constant_cells + extent;
        template.constants.push(variable);
        template.initialisers.extend(initial);
    }

    /// Variables of a block. A constant whose value is known is one of the network or the template, so that sizes may use it.
    pub(super) fn local_variables(&mut self, variables: &ast::Variables, code: &mut Vec<Statement>) {
        let Some(base) = self.resolve_type(&variables.ty) else {
            variables.declarators.iter().for_each(|declarator| self.declare_broken(&declarator.name));
            return;
        };
        for declarator in &variables.declarators {
            let name = &declarator.name;
            let Some(ty) = self.dimensions(base.ty.clone(), &declarator.dimensions, name.span) else {
                self.declare_broken(name);
                continue;
            };
            let declared = Qualified { ty: ty.clone(), ..base.clone() };
            if ty.contains(&|part| matches!(part, Type::Channel(_) | Type::Scalar(_) | Type::String))
                || is_indexed_by_scalars(&ty)
            {
                let message = format!("a function cannot have a variable of type `{ty}`");
                self.error(Code::TYPE_NOT_ALLOWED, name.span, message);
                self.declare_broken(name);
                continue;
            }
            if !self.allowed(&declared, declarator) {
                self.declare_broken(name);
                continue;
            }
            if (self.frame.next + ty.extent()).cells() > limits::CELLS {
                self.error(Code::SIZE, name.span, format!("`{}` is too large", name.name));
                self.declare_broken(name);
                continue;
            }
            let place = self.frame_place(ty);
            let values = declarator
                .initialiser
                .as_ref()
                .map(|initialiser| self.initialiser(&place, initialiser))
                .unwrap_or_default();
            let known = declared.constant.then(|| self.known_constant(&declared, name, &place, &values)).flatten();
            let symbol = Variable::new(known.unwrap_or_else(|| place.clone()), declared.constant);
            code.push(Statement::Local { place, values });
            self.declare(name, Symbol::Variable(symbol));
        }
    }

    /// Makes a block's integer constant one of the network or the template when its value does not need a running system.
    fn known_constant(
        &mut self,
        declared: &Qualified,
        name: &Ident,
        place: &Place,
        values: &[(Place, ExprId)],
    ) -> Option<Place> {
        let [(_, id)] = values else { return None };
        if !declared.ty.is_discrete() {
            return None;
        }
        let variable = |offset| network::Variable {
            name: name.name.clone(),
            ty: declared.ty.clone(),
            offset,
            meta: false,
            span: name.span,
        };
        match self.evaluate(*id) {
            (Ok(_), 0) => {
                let place = Place { base: Base::Constant, offset: self.constants_end(), ..place.clone() };
                let value = vec![(place.clone(), *id)];
                self.global_constant(variable(place.offset), value);
                self.network.global_constants.pop();
                Some(place)
            }
            (Ok(_) | Err(EvalError::Unknown), _) => {
                let offset = self.context.template.as_ref()?.constant_cells;
                let place = Place { base: Base::LocalConstant, offset, ..place.clone() };
                self.local_constant(variable(offset), vec![(place.clone(), *id)]);
                Some(place)
            }
            _ => None,
        }
    }

    pub(super) fn import(&mut self, import: &ast::Import) {
        for function in &import.functions {
            let Some(result) = self.resolve_type(&function.return_type) else { continue };
            let foreign = Foreign { result: result.ty, arity: function.parameters.len() };
            self.declare(&function.name, Symbol::Foreign(foreign));
        }
    }
}

/// A range without values in some part of a type that needs one.
fn empty_range(ty: &Type) -> Option<Range> {
    let found = std::cell::Cell::new(None);
    ty.contains(&|part| match part {
        Type::Int(range) if range.lo > range.hi => {
            found.set(Some(*range));
            true
        }
        _ => false,
    });
    found.get()
}

fn is_indexed_by_scalars(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => matches!(array.index, IndexType::Scalar(_)) || is_indexed_by_scalars(&array.element),
        Type::Struct(structure) => structure.fields.iter().any(|(_, ty)| is_indexed_by_scalars(ty)),
        _ => false,
    }
}

fn add_clocks(ty: &Type, clocks: &mut Vec<Clock>) {
    match ty {
        Type::Clock { hybrid } => clocks.push(Clock { hybrid: *hybrid, initial: ClockInitial::Int(0) }),
        Type::Struct(structure) => structure.fields.iter().for_each(|(_, ty)| add_clocks(ty, clocks)),
        Type::Array(array) if ty.extent().clocks > 0 => {
            (0..array.index.count()).for_each(|_| add_clocks(&array.element, clocks))
        }
        _ => {}
    }
}

fn write_cells(ints: &mut [i32], doubles: &mut [f64], offset: Extent, value: Value) {
    let (new_ints, new_doubles) = value.cells();
    let at = offset.ints as usize;
    if let Some(cells) = ints.get_mut(at..at + new_ints.len()) {
        cells.copy_from_slice(&new_ints);
    }
    let at = offset.doubles as usize;
    if let Some(cells) = doubles.get_mut(at..at + new_doubles.len()) {
        cells.copy_from_slice(&new_doubles);
    }
}
