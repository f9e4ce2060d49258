//! Calls: arguments go straight into the frame of the callee, which begins where the caller's temporaries end.

use super::place::Space;
use super::{Compile, Compiler, Operand, Unsupported, reference_cells};
use crate::code::op::{MOST_CELLS, Op, Reg};
use crate::code::traits::{Kind, kind_of};
use model::network::{Argument, FunctionId, FunctionParameter, Passing, Place, ProcessRef};
use model::source::Span;

impl Compiler<'_, '_> {
    /// Calls a function; its result is at the register that is given back, until the enclosing scope ends.
    pub(super) fn call(
        &mut self,
        id: FunctionId,
        process: Option<&ProcessRef>,
        arguments: &[Argument],
        span: Span,
    ) -> Compile<Reg> {
        let function = self.network.code.function(id);
        if self.tables.functions[id.index()].is_none() {
            self.tables.waiting.push(id);
        }
        let references = function.references.saturating_mul(reference_cells(self.traits));
        if self.cells_of(function) > MOST_CELLS {
            return Err(Unsupported { reason: "a function with too many local variables", span: function.span });
        }
        let process = match process {
            None => None,
            Some(process) => {
                let t = self.temporary(span)?;
                let number = self.process(process, t, span)?;
                Some(self.in_register(number, t))
            }
        };
        // Values given for constant references live among the caller's temporaries.
        let mut homes = Vec::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let needed = matches!((parameter.passing, argument), (Passing::Reference(_), Argument::Value(_)));
            homes.push(if needed { Some(self.block(self.cells_for(parameter.ty.extent()), span)?) } else { None });
        }
        let by_value = function.parameters.iter().map(|parameter| match parameter.passing {
            Passing::Value(offset) if self.has_values() && parameter.ty.extent().doubles > 0 => {
                function.frame.ints + 2 * (offset.doubles + parameter.ty.extent().doubles)
            }
            Passing::Value(offset) => offset.ints + parameter.ty.extent().ints,
            Passing::Reference(_) => 0,
        });
        let cells = references + by_value.max().unwrap_or(0);
        let at = self.block(cells.max(self.cells_for(function.result.extent())).max(1), span)?;
        // Doubles stand behind all integers of the frame; the block reaches as far only where there are some.
        let frame = (at + references as Reg, at.wrapping_add((references + function.frame.ints) as Reg));
        for ((parameter, argument), home) in function.parameters.iter().zip(arguments).zip(homes) {
            self.scoped(|compiler| compiler.argument(parameter, argument, at, frame, home, span))?;
        }
        let function = id.index() as u32;
        self.emit_at(
            span,
            match process {
                None => Op::Call { function, at },
                Some(process) => Op::CallIn { function, at, process },
            },
        );
        Ok(at)
    }

    fn argument(
        &mut self,
        parameter: &FunctionParameter,
        argument: &Argument,
        at: Reg,
        (ints, doubles): (Reg, Reg),
        home: Option<Reg>,
        span: Span,
    ) -> Compile<()> {
        match (parameter.passing, argument) {
            (Passing::Value(offset), Argument::Value(_)) => {
                let places = (ints + offset.ints as Reg, doubles.wrapping_add(offset.doubles.wrapping_mul(2) as Reg));
                self.value_argument(parameter, argument, places, span)
            }
            (Passing::Reference(n), Argument::Value(_)) => {
                let home = home.unwrap_or(at);
                let doubles = home + parameter.ty.extent().ints as Reg;
                self.value_argument(parameter, argument, (home, doubles), span)?;
                let d = at + self.reference(n);
                self.emit(Op::AddressFrame { d, at: u32::from(home) });
                if self.has_values() {
                    self.emit(Op::AddressFrame { d: d + 2, at: u32::from(doubles) });
                }
                Ok(())
            }
            (Passing::Reference(n), Argument::Reference(place)) => {
                self.reference_argument(place, at + self.reference(n), span)
            }
            (Passing::Value(_), Argument::Reference(_)) => {
                Err(Unsupported { reason: "a reference where a value is passed", span })
            }
        }
    }

    /// A value, its integers into registers from `d` on, its doubles into those from `doubles` on.
    fn value_argument(
        &mut self,
        parameter: &FunctionParameter,
        argument: &Argument,
        (d, doubles): (Reg, Reg),
        span: Span,
    ) -> Compile<()> {
        let Argument::Value(value) = argument else { return Ok(()) };
        let site = self.span(*value);
        match kind_of(&parameter.ty) {
            Kind::Int => {
                let operand = self.int(*value, d)?;
                let fitting = self.fitting(operand, &parameter.ty, self.value_range(*value), d, site);
                self.move_into(fitting, d);
            }
            Kind::Double if self.has_values() => self.double_into(*value, doubles)?,
            Kind::Double => self.effect_if_writes(*value)?,
            Kind::Cells => {
                let s = self.cells(*value)?;
                let pointer = self.block(2, span)?;
                self.emit(Op::AddressFrame { d: pointer, at: u32::from(d) });
                if self.has_values() {
                    self.emit(Op::AddressFrame { d: pointer + 1, at: u32::from(doubles) });
                }
                self.copy(pointer, s, &parameter.ty, self.type_of(*value), site);
            }
            Kind::Void => return Err(Unsupported { reason: "a clock passed by value", span }),
        }
        Ok(())
    }

    /// A pointer to the integers of a variable and the number of its first clock, into two registers.
    fn reference_argument(&mut self, place: &Place, d: Reg, span: Span) -> Compile<()> {
        let extent = place.ty.extent();
        let has_doubles = self.has_values() && extent.doubles > 0;
        let (int_base, double_space) = if has_doubles {
            let (base, space) = self.both_spaces(place, span)?;
            (Some(base), Some(space))
        } else {
            (if extent.ints > 0 { Some(self.int_base(place, span)?) } else { None }, None)
        };
        let indices = self.indices(place, false)?;
        if let Some((space, base)) = int_base {
            let index = self.sum_of(&indices, |extent| extent.ints, span)?;
            let at = base + place.offset.ints + indices.fixed.ints;
            match space {
                // Nothing to compute for `f(x)` where `x` is a reference itself.
                Space::Pointer(p) if at == 0 && index.is_none() => self.move_into(Operand::Reg(p), d),
                space => self.pointer_from(space, at, index, d),
            }
        }
        if let Some(space) = double_space {
            self.point_to_doubles(space, place, &indices, d + 2, span)?;
        }
        if extent.clocks > 0 {
            let clock = self.clock_with(place, &indices, span)?;
            let t = self.temporary(span)?;
            let clock = self.clock_register(clock, t);
            self.move_into(Operand::Reg(clock), d + 1);
        }
        Ok(())
    }
}
