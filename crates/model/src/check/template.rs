//! Templates: elaborated where they stand with unknown parameters, and again for the values that their types depend on.

use super::combination::{combination, combination_count};
use super::scope::{Scope, Symbol, Variable};
use super::{Checker, Context, Form, ParameterType, TemplateContext, TemplateDefinition};
use crate::diagnostic::Code;
use crate::limits;
use crate::network::{
    self, Base, EdgeId, ExpandedEdge, Expr, Extent, Location, LocationId, LocationKind, Passing, Place, Range,
    Template, TemplateId, Type,
};
use crate::source::Span;
use crate::syntax::ast;
use std::collections::HashMap;
use std::sync::Arc;

/// Integer cells of the value parameters whose values are known, `None` for the others.
pub(super) type KnownParameters = Vec<Option<Vec<i32>>>;

impl Checker {
    pub(super) fn template(&mut self, template: ast::Template) {
        let name = template.name.clone();
        let declared = self.templates.iter().position(|known| known.dynamic && known.template.name == name);
        let definition = TemplateDefinition {
            template: Arc::new(template),
            horizon: self.order,
            dynamic: declared.is_some(),
            relevant: 0,
            sizing: 0,
            assigned: 0,
            forms: HashMap::new(),
            parameters: Vec::new(),
            used: declared.is_some(),
        };
        let index = match declared {
            Some(index) => {
                self.templates[index] = definition;
                index
            }
            None => {
                self.templates.push(definition);
                let index = self.templates.len() - 1;
                self.declare(&name, Symbol::Template(index));
                index
            }
        };
        if let Some(form) = self.elaborate(index, &Vec::new()) {
            self.templates[index].forms.insert(Vec::new(), form);
        }
    }

    /// `dynamic T(int i);`: declares a template that is spawned while the system runs.
    pub(super) fn dynamic(&mut self, name: &ast::Ident, parameters: &[ast::Parameter], span: Span) {
        let template = ast::Template { parameters: parameters.to_vec(), ..ast::Template::empty(name.clone(), span) };
        self.templates.push(TemplateDefinition {
            template: Arc::new(template),
            horizon: self.order,
            dynamic: true,
            relevant: 0,
            sizing: 0,
            assigned: 0,
            forms: HashMap::new(),
            parameters: Vec::new(),
            used: true,
        });
        self.declare(name, Symbol::Template(self.templates.len() - 1));
        self.obstacle(&network::Engine::ALL, network::Effect::Excludes, "dynamic templates are not supported", span);
    }

    /// The form of a template for given parameter values.
    pub(super) fn form(&mut self, index: usize, values: &[Option<Vec<i32>>]) -> Option<TemplateId> {
        loop {
            let relevant = self.templates[index].relevant;
            let known: KnownParameters = values
                .iter()
                .enumerate()
                .map(|(n, value)| value.clone().filter(|_| relevant & origin(n) != 0))
                .collect();
            let key: Vec<i32> = known.iter().flatten().flatten().copied().collect();
            if let Some(form) = self.templates[index].forms.get(&key) {
                return Some(*form);
            }
            if self.network.templates.len() >= limits::FORMS || self.network.code.len() >= limits::CODE {
                let name = &self.templates[index].template.name;
                let message =
                    format!("the types in `{}` depend on parameters that have too many different values", name.name);
                let span = name.span;
                self.error(Code::SIZE, span, message);
                return None;
            }
            let form = self.elaborate(index, &known);
            if self.templates[index].relevant == relevant {
                if let Some(form) = form {
                    self.templates[index].forms.insert(key, form);
                }
                return form;
            }
        }
    }

    /// Elaborates a template. `None` when the result still depends on parameters that are not known, or has errors.
    fn elaborate(&mut self, index: usize, known: &KnownParameters) -> Option<TemplateId> {
        loop {
            let (said, assigned) = (self.diagnostics.len(), self.templates[index].assigned);
            let form = self.elaborate_once(index, known);
            if self.templates[index].assigned == assigned {
                return form;
            }
            // A parameter turned out to be a variable: all over again.
            self.diagnostics.truncate(said);
        }
    }

    fn elaborate_once(&mut self, index: usize, known: &KnownParameters) -> Option<TemplateId> {
        let template = self.templates[index].template.clone();
        let errors = self.diagnostics.errors();
        let known_set =
            known.iter().enumerate().filter(|(_, value)| value.is_some()).fold(0, |set, (n, _)| set | origin(n));
        let context =
            TemplateContext { known: known_set, dynamic: self.templates[index].dynamic, ..TemplateContext::default() };
        let outer = std::mem::replace(&mut self.context, Context { template: Some(context), ..Context::default() });
        let horizon = std::mem::replace(&mut self.scopes.horizon, self.templates[index].horizon);
        self.scopes.push();
        let parameters = self.parameters(&template.parameters, known, self.templates[index].assigned);
        template.declarations.iter().for_each(|declaration| self.declaration(declaration));
        let mut locations = self.locations(&template);
        let edges = self.edges(&template);
        let members = self.scopes.pop();
        self.scopes.horizon = horizon;
        let context = std::mem::replace(&mut self.context, outer).template.unwrap_or_default();
        let definition = &mut self.templates[index];
        if known_set == 0 {
            definition.parameters = parameters.iter().map(|(parameter, _)| parameter.clone()).collect();
        }
        definition.relevant |= context.relevant;
        definition.sizing |= context.sizing;
        if context.assigned & !definition.assigned != 0 {
            definition.assigned |= context.assigned;
            return None;
        }
        if context.relevant & !known_set != 0 || self.diagnostics.errors() > errors {
            return None;
        }
        let initial = match &template.init {
            Some(init) => location_named(&members, &init.name),
            // `process P() {}`: nothing but a place to be.
            None if locations.is_empty() => {
                locations.push(Location::anonymous(template.span));
                Some(LocationId::new(0))
            }
            None => None,
        };
        let Some(initial) = initial else {
            let message = format!("the template `{}` has no initial location", template.name.name);
            self.error(
                Code::MISSING_INIT,
                template.init.as_ref().map_or(template.name.span, |init| init.span),
                message,
            );
            return None;
        };
        let parameters = parameters
            .into_iter()
            .map(|(parameter, passing)| network::Parameter {
                span: parameter.name.span,
                name: parameter.name.name,
                ty: parameter.ty,
                passing,
            })
            .collect();
        let mut form = Template {
            name: template.name.name.clone(),
            parameters,
            variables: context.variables,
            constants: context.constants,
            state: context.state,
            constant_cells: context.constant_cells,
            locations,
            initial,
            edges,
            expanded: Vec::new(),
            select_values: Vec::new(),
            leaving: Vec::new(),
            span: template.span,
        };
        self.expand(&mut form)?;
        self.network.templates.push(form);
        self.forms.push(Form { members, obstacles: context.obstacles, initialisers: context.initialisers });
        Some(TemplateId::new(self.network.templates.len() - 1))
    }

    fn parameters(
        &mut self,
        parameters: &[ast::Parameter],
        known: &KnownParameters,
        assigned: u64,
    ) -> Vec<(ParameterType, Passing)> {
        let mut list = Vec::new();
        for (n, parameter) in parameters.iter().enumerate() {
            let Some(declared) = self.parameter_type(parameter) else {
                self.declare_broken(&parameter.name);
                continue;
            };
            let value = known.get(n).and_then(Option::as_ref);
            let is_assigned = assigned & origin(n) != 0;
            let passing = self.declare_parameter(&declared, n, value.map(Vec::as_slice), is_assigned);
            list.push((declared, passing));
        }
        list
    }

    pub(super) fn parameter_type(&mut self, parameter: &ast::Parameter) -> Option<ParameterType> {
        let base = self.resolve_type(&parameter.ty)?;
        let ty = self.dimensions(base.ty, &parameter.dimensions, parameter.name.span)?;
        if !parameter.by_reference && ty.contains(&|part| matches!(part, Type::Clock { .. } | Type::Channel(_))) {
            let message = format!(
                "the parameter `{}` must be a reference: write `{} &{}`",
                parameter.name.name,
                ty.innermost(),
                parameter.name.name
            );
            self.error(Code::TYPE_NOT_ALLOWED, parameter.name.span, message);
        }
        if ty.contains(&|part| *part == Type::Void) {
            self.error(Code::TYPE_NOT_ALLOWED, parameter.name.span, "a parameter cannot be `void`");
            return None;
        }
        Some(ParameterType {
            name: parameter.name.clone(),
            ty,
            by_reference: parameter.by_reference,
            constant: base.constant,
        })
    }

    /// Declares a parameter of a template or instance. A value parameter that is assigned to is a variable as well.
    pub(super) fn declare_parameter(
        &mut self,
        parameter: &ParameterType,
        n: usize,
        value: Option<&[i32]>,
        is_assigned: bool,
    ) -> Passing {
        let Some(template) = &mut self.context.template else { return Passing::Reference(0) };
        let ty = parameter.ty.clone();
        let indices = Vec::new();
        if parameter.by_reference {
            let reference = template.references;
            template.references += 1;
            if parameter.constant {
                template.local.constant_references.push(reference);
            }
            let place = Place { base: Base::Parameter(reference), offset: Extent::default(), indices, ty };
            self.declare_parameter_name(&parameter.name, Variable::new(place, parameter.constant));
            return Passing::Reference(reference);
        }
        let (offset, extent) = (template.constant_cells, ty.extent());
        for cell in 0..extent.ints as usize {
            template.local.ints.push(value.and_then(|value| value.get(cell).copied()));
            template.local.int_origins.push(origin(n));
        }
        for _ in 0..extent.doubles {
            template.local.doubles.push(None);
            template.local.double_origins.push(origin(n));
        }
        template.constant_cells = template.constant_cells + extent;
        template.constants.push(network::Variable {
            name: parameter.name.name.clone(),
            ty: ty.clone(),
            offset,
            meta: false,
            span: parameter.name.span,
        });
        if !parameter.constant {
            template.changeable.push((offset, offset + extent, origin(n)));
        }
        let constant = Place { base: Base::LocalConstant, offset, indices, ty };
        let place =
            if is_assigned && !parameter.constant { self.parameter_variable(parameter, &constant) } else { constant };
        let is_variable = place.base == Base::Local;
        self.declare_parameter_name(&parameter.name, Variable::new(place, !is_variable));
        Passing::Value(offset)
    }

    fn parameter_variable(&mut self, parameter: &ParameterType, constant: &Place) -> Place {
        let value = self.code(Expr::Read(constant.clone()), parameter.name.span);
        let Some(template) = &mut self.context.template else { return constant.clone() };
        let place = Place { base: Base::Local, offset: template.state, ..constant.clone() };
        template.state = template.state + constant.ty.extent();
        template.variables.push(network::Variable {
            name: parameter.name.name.clone(),
            ty: constant.ty.clone(),
            offset: place.offset,
            meta: false,
            span: parameter.name.span,
        });
        template.initialisers.push((place.clone(), value));
        place
    }

    fn locations(&mut self, template: &ast::Template) -> Vec<Location> {
        for (n, location) in template.locations.iter().enumerate() {
            self.declare(&location.name, Symbol::Location(LocationId::new(n)));
        }
        for (n, name) in template.branchpoints.iter().enumerate() {
            self.declare(name, Symbol::Branchpoint(n));
        }
        template.locations.iter().map(|location| self.location(location)).collect()
    }

    fn location(&mut self, location: &ast::Location) -> Location {
        let kind = match (location.urgent, location.committed) {
            (true, true) => {
                let message = format!("the location `{}` cannot be urgent and committed", location.name.name);
                self.error(Code::LOCATION, location.span, message);
                LocationKind::Committed
            }
            (true, false) => LocationKind::Urgent,
            (false, true) => LocationKind::Committed,
            (false, false) => LocationKind::Normal,
        };
        let invariant = location.invariant.as_ref().and_then(|invariant| self.invariant(invariant));
        let rate = location.rate.as_ref().and_then(|(rate, divisor)| {
            let rate = self.weight(rate, "an exponential rate")?;
            let divisor = match divisor {
                Some(divisor) => Some(self.weight(divisor, "an exponential rate")?),
                None => None,
            };
            Some((rate, divisor))
        });
        let (name, inconsistent) = (location.name.name.clone(), location.inconsistent);
        Location { name, kind, invariant, rate, inconsistent, span: location.span }
    }

    /// One edge per combination of select values, grouped by source location.
    fn expand(&mut self, template: &mut Template) -> Option<()> {
        let mut by_source: Vec<Vec<EdgeId>> = vec![Vec::new(); template.locations.len()];
        for (n, edge) in template.edges.iter().enumerate() {
            if let Some(list) = by_source.get_mut(edge.source.index()) {
                list.push(EdgeId::new(n));
            }
        }
        for list in by_source {
            let start = template.expanded.len() as u32;
            for id in list {
                let edge = &template.edges[id.index()];
                let ranges: Vec<Range> = edge.select.iter().map(|select| select.range).collect();
                let count = combination_count(&ranges);
                let total = count.and_then(|count| count.checked_add(self.expanded));
                let Some((count, total)) = count.zip(total).filter(|(_, total)| *total <= limits::EXPANDED_EDGES)
                else {
                    let message = format!(
                        "the select of this edge has too many values: a model may have {} edges after expansion",
                        limits::EXPANDED_EDGES
                    );
                    let span = edge.select.first().map_or(edge.span, |select| select.span);
                    self.error(Code::SIZE, span, message);
                    return None;
                };
                self.expanded = total;
                for n in 0..count {
                    let select = template.select_values.len() as u32;
                    template.select_values.extend(combination(&ranges, n));
                    template.expanded.push(ExpandedEdge { edge: id, select });
                }
            }
            template.leaving.push(start..template.expanded.len() as u32);
        }
        Some(())
    }
}

/// The bit of a parameter; all beyond the 63rd share one.
pub(super) fn origin(parameter: usize) -> u64 {
    1 << parameter.min(63)
}

fn location_named(members: &Scope, name: &str) -> Option<LocationId> {
    match members.get(name)?.symbol {
        Symbol::Location(id) => Some(id),
        _ => None,
    }
}
