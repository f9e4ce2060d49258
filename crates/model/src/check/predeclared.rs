//! What every model can use without declaring it. A model may declare the same names anew.

use super::Checker;
use super::scope::{Entry, PREDECLARED, Symbol, TypeSymbol, Variable};
use crate::network::{Base, Builtin, Extent, Place, Range, Type};
use crate::syntax::ast::Name;
use std::f64::consts;

const INTEGERS: &[(&str, i32)] = &[
    ("INT8_MIN", i8::MIN as i32),
    ("INT8_MAX", i8::MAX as i32),
    ("UINT8_MAX", u8::MAX as i32),
    ("INT16_MIN", i16::MIN as i32),
    ("INT16_MAX", i16::MAX as i32),
    ("UINT16_MAX", u16::MAX as i32),
    ("INT32_MIN", i32::MIN),
    ("INT32_MAX", i32::MAX),
];

const DOUBLES: &[(&str, f64)] = &[
    ("FLT_MIN", f32::MIN_POSITIVE as f64),
    ("FLT_MAX", f32::MAX as f64),
    ("DBL_MIN", f64::MIN_POSITIVE),
    ("DBL_MAX", f64::MAX),
    ("M_PI", consts::PI),
    ("M_PI_2", consts::FRAC_PI_2),
    ("M_PI_4", consts::FRAC_PI_4),
    ("M_E", consts::E),
    ("M_LOG2E", consts::LOG2_E),
    ("M_LOG10E", consts::LOG10_E),
    ("M_LN2", consts::LN_2),
    ("M_LN10", consts::LN_10),
    ("M_1_PI", consts::FRAC_1_PI),
    ("M_2_PI", consts::FRAC_2_PI),
    ("M_2_SQRTPI", consts::FRAC_2_SQRT_PI),
    ("M_SQRT2", consts::SQRT_2),
    ("M_SQRT1_2", consts::FRAC_1_SQRT_2),
];

const TYPES: &[(&str, i32, i32)] = &[
    ("int8_t", i8::MIN as i32, i8::MAX as i32),
    ("uint8_t", 0, u8::MAX as i32),
    ("int16_t", i16::MIN as i32, i16::MAX as i32),
    ("uint16_t", 0, u16::MAX as i32),
    ("int32_t", i32::MIN, i32::MAX),
];

impl Checker {
    pub(super) fn predeclare(&mut self) {
        let mut symbols: Vec<(&str, Symbol)> = Vec::new();
        for (name, value) in INTEGERS {
            let offset = Extent { ints: self.network.constants.ints.len() as u32, ..Extent::default() };
            self.network.constants.ints.push(*value);
            symbols.push((name, constant(Type::Int(Range::FULL), offset)));
        }
        for (name, value) in DOUBLES {
            let offset = Extent { doubles: self.network.constants.doubles.len() as u32, ..Extent::default() };
            self.network.constants.doubles.push(*value);
            symbols.push((name, constant(Type::Double, offset)));
        }
        for (name, lo, hi) in TYPES {
            let ty = Type::Int(Range { lo: *lo, hi: *hi });
            symbols.push((
                name,
                Symbol::Type(TypeSymbol { ty, constant: false, meta: false, fixed_range: true, origins: 0 }),
            ));
        }
        for builtin in Builtin::ALL {
            symbols.push((builtin.name(), Symbol::Builtin(*builtin)));
        }
        let Some(scope) = self.scopes.at(PREDECLARED) else { return };
        for (name, symbol) in symbols {
            scope.declare(&Name::from(name), Entry::new(symbol, None, 0));
        }
    }
}

fn constant(ty: Type, offset: Extent) -> Symbol {
    let place = Place { base: Base::Constant, offset, indices: Vec::new(), ty };
    Symbol::Variable(Variable::new(place, true))
}
