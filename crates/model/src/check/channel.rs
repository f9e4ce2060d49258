//! Channels by name: priorities, and inputs and outputs of timed I/O automata.

use super::Checker;
use super::scope::Symbol;
use super::typed::Kind;
use crate::diagnostic::{Code, Diagnostic};
use crate::network::{self, Base, Effect, Engine, Place, Type, Value};
use crate::source::Span;
use crate::syntax::ast;

impl Checker {
    /// Levels of the one `chan priority` declaration.
    pub(super) fn channel_priorities(&mut self, declarations: &[ast::ChannelPriority]) {
        let Some(declaration) = declarations.first() else { return };
        for second in declarations.iter().skip(1) {
            let message = "a model can have one `chan priority` declaration only";
            self.report(Diagnostic::new(Code::PRIORITY, second.span, message).note(declaration.span, "the first one"));
        }
        let default = declaration.levels.iter().find(|(channel, _)| channel.is_none()).map_or(0, |(_, level)| *level);
        self.network.default_priority = default;
        self.network.channels.iter_mut().for_each(|channel| channel.priority = default);
        for (channel, level) in &declaration.levels {
            let Some(channel) = channel else { continue };
            let typed = self.expr(channel);
            let Kind::Place { place, .. } = &typed.kind else {
                if !typed.is_error() {
                    self.error(Code::PRIORITY, channel.span, format!("a channel is needed here, not {}", typed.kind));
                }
                continue;
            };
            if !matches!(place.ty.innermost(), Type::Channel(_)) {
                self.error(Code::PRIORITY, channel.span, format!("a channel is needed here, not `{}`", place.ty));
                continue;
            }
            for id in self.channels_of(&place.clone(), channel.span) {
                if let Some(channel) = self.network.channels.get_mut(id.index()) {
                    channel.priority = *level;
                }
            }
        }
        let span = declaration.span;
        let levels = declaration.levels.iter().map(|(_, level)| *level).max().unwrap_or(0);
        if levels > 0 {
            self.obstacle(&[Engine::Statistical], Effect::Excludes, "channel priorities", span);
        }
    }

    /// The channels that a place with constant indices stands for.
    pub(super) fn channels_of(&mut self, place: &Place, span: Span) -> Vec<network::ChannelId> {
        if place.base != Base::Global {
            self.error(Code::CHANNEL, span, "only global channels can be named here");
            return Vec::new();
        }
        let mut offset = place.offset;
        for index in &place.indices {
            match self.evaluate(index.value).0 {
                Ok(Value::Int(value))
                    if (0..i64::from(index.len)).contains(&(i64::from(value) - i64::from(index.lo))) =>
                {
                    let at = (i64::from(value) - i64::from(index.lo)) as u64;
                    offset = offset + index.stride.times(at).unwrap_or_default();
                }
                Ok(_) => {
                    self.error(Code::OUT_OF_RANGE, span, "the index is outside the array");
                    return Vec::new();
                }
                Err(error) => {
                    self.report_evaluation(error, span);
                    return Vec::new();
                }
            }
        }
        let first = offset.channels as usize;
        (first..first + place.ty.extent().channels as usize).map(network::ChannelId::new).collect()
    }

    /// `IO P { a?, b! }`
    pub(super) fn io_signatures(&mut self, declarations: &[ast::IoDeclaration]) {
        for declaration in declarations {
            let set = match self.scopes.resolve(&declaration.process.name).map(|entry| entry.symbol.clone()) {
                Some(Symbol::Processes(set)) => set,
                // Templates and instances that the system line leaves out.
                Some(Symbol::Template(_) | Symbol::Instance(_)) => continue,
                _ => {
                    self.report_missing(&declaration.process);
                    continue;
                }
            };
            let (mut inputs, mut outputs, mut shared) = (Vec::new(), Vec::new(), Vec::new());
            for action in &declaration.actions {
                let typed = self.expr(&action.channel);
                let place = match &typed.kind {
                    Kind::Place { place, .. } if matches!(place.ty.innermost(), Type::Channel(_)) => place.clone(),
                    Kind::Error => continue,
                    kind => {
                        self.error(Code::CHANNEL, action.span, format!("a channel is needed here, not {kind}"));
                        continue;
                    }
                };
                let channels = self.channels_of(&place, action.span);
                match action.direction {
                    ast::Direction::Receive => inputs.extend(channels),
                    ast::Direction::Send => outputs.extend(channels),
                    ast::Direction::Csp => shared.extend(channels),
                }
            }
            let set = &self.network.sets[set];
            let mut processes = set.first.index() as u32..set.first.index() as u32 + set.len;
            if !declaration.arguments.is_empty() {
                let set = self.network.sets.iter().position(|other| other.name == declaration.process.name);
                let typed = self.process_of_set(set.unwrap_or(0), &declaration.arguments, declaration.span);
                let Some(one) = self.fixed_process(&typed) else { continue };
                processes = one.index() as u32..one.index() as u32 + 1;
            }
            self.network.io.push(network::IoSignature { processes, inputs, outputs, shared, span: declaration.span });
        }
    }
}
