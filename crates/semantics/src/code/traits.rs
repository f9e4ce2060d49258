//! What is known of every expression before code is made for it: its kind, its value if it is constant, whether it
//! writes, whether it can fail, whether clocks decide it. One pass over the arena, in which operands stand before what is built from them.

use super::arithmetic::int_binary;
use super::timed::Timed;
use model::network::{Argument, Base, BuiltinResult, Expr, ExprId, Index, Network, Number, Place, Statement, Type};
use model::syntax::ast::{BinaryOp, Quantifier};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Int,
    Double,
    /// A struct or an array.
    Cells,
    Void,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Trait {
    pub kind: Kind,
    pub writes: bool,
    /// Contains a clock constraint, a rate or `deadlock`.
    pub clocks: bool,
    /// Its evaluation may end in an error.
    pub fails: bool,
    pub known: Option<i32>,
    height: u32,
}

#[derive(Clone)]
pub(crate) struct Traits {
    exprs: Vec<Trait>,
    /// Known where clocks and doubles have values.
    pub timed: Option<Timed>,
    /// Code that needs a deep stack to compile.
    pub deep: bool,
}

const SHALLOW: u32 = 100;

impl Traits {
    pub fn new(network: &Network, with_doubles: bool) -> Traits {
        let timed = with_doubles.then(|| Timed::new(&network.code));
        let mut traits = Traits { exprs: Vec::with_capacity(network.code.len()), timed, deep: false };
        for n in 0..network.code.len() {
            let found = traits.find(network, ExprId::new(n));
            traits.deep |= found.height > SHALLOW;
            traits.exprs.push(found);
        }
        traits.deep |= network.code.functions.iter().any(|function| nesting(&function.body) > SHALLOW as usize / 2);
        traits
    }

    /// An expression that does not stand before what uses it counts as one that may do anything.
    pub fn of(&self, id: ExprId) -> Trait {
        let unknown =
            Trait { kind: Kind::Int, writes: true, clocks: false, fails: true, known: None, height: SHALLOW + 1 };
        self.exprs.get(id.index()).copied().unwrap_or(unknown)
    }

    pub fn known(&self, id: ExprId) -> Option<i32> {
        self.of(id).known
    }

    /// Whether finding the place writes something.
    pub fn place_writes(&self, place: &Place) -> bool {
        let mut writes = false;
        place.exprs(&mut |id| writes |= self.of(id).writes);
        writes
    }

    fn find(&self, network: &Network, id: ExprId) -> Trait {
        let expr = network.code.expr(id);
        let (mut writes, mut clocks, mut height) = (false, false, 0);
        let mut fails = self.may_fail(expr);
        expr.children(&mut |child| {
            let child = self.of(child);
            writes |= child.writes;
            clocks |= child.clocks;
            fails |= child.fails;
            height = height.max(child.height);
        });
        let mut kind = Kind::Int;
        match expr {
            Expr::Double(_) | Expr::ClockValue(_) | Expr::ToDouble(_) | Expr::Negate(Number::Double, _) => {
                kind = Kind::Double;
            }
            Expr::Binary { op, number: Number::Double, .. } if !super::arithmetic::is_comparison(*op) => {
                kind = Kind::Double;
            }
            Expr::Read(place) => kind = kind_of(&place.ty),
            Expr::Conditional { then, .. } => kind = self.of(*then).kind,
            Expr::Sequence(_, second) => kind = self.of(*second).kind,
            Expr::ClockConstraint(_) | Expr::Rate { .. } | Expr::Deadlock => clocks = true,
            Expr::Assign { target, .. } => {
                kind = kind_of(&target.ty);
                writes = true;
            }
            Expr::SetClock { .. } => {
                kind = Kind::Void;
                writes = true;
            }
            Expr::Step { .. } | Expr::Unsupported(_) => writes = true,
            Expr::Call { function, arguments, .. } => {
                let function = network.code.function(*function);
                kind = kind_of(&function.result);
                writes |=
                    function.writes
                        || function.parameters.iter().zip(arguments).any(|(parameter, argument)| {
                            matches!(argument, Argument::Reference(_)) && !parameter.constant
                        });
            }
            Expr::Builtin { function, .. } if function.result() == BuiltinResult::Double => kind = Kind::Double,
            Expr::Quantified { quantifier: Quantifier::Sum | Quantifier::Foreach, number: Number::Double, .. } => {
                kind = Kind::Double;
            }
            _ => {}
        }
        let known = if kind == Kind::Int && !writes && !clocks { self.fold(network, expr) } else { None };
        Trait { kind, writes, clocks, fails: fails && known.is_none(), known, height: height + 1 }
    }

    /// Whether an expression may fail when its operands do not.
    fn may_fail(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Binary { op, .. } => {
                matches!(
                    op,
                    BinaryOp::Div | BinaryOp::Mod | BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Power
                )
            }
            Expr::Read(place) => self.index_may_fail(place),
            Expr::ClockConstraint(constraint) => {
                constraint.plus.iter().chain(&constraint.minus).any(|place| self.index_may_fail(place))
            }
            Expr::Rate { clock, .. } => self.index_may_fail(clock),
            Expr::LocationIs { process, .. } | Expr::LocationOf { process } => !process.indices.is_empty(),
            Expr::Assign { .. }
            | Expr::SetClock { .. }
            | Expr::Step { .. }
            | Expr::Call { .. }
            | Expr::Builtin { .. }
            | Expr::Unsupported(_) => true,
            _ => false,
        }
    }

    fn index_may_fail(&self, place: &Place) -> bool {
        let in_range = |index: &Index| {
            let value = self.known(index.value).map(|value| i64::from(value) - i64::from(index.lo));
            value.is_some_and(|value| (0..i64::from(index.len)).contains(&value))
        };
        matches!(&place.base, Base::Member(process, _) if !process.indices.is_empty())
            || matches!(place.base, Base::Value(_))
            || !place.indices.iter().all(in_range)
    }

    /// The value of an expression whose operands are known. What has no value (`1 / 0`) stays as it is.
    fn fold(&self, network: &Network, expr: &Expr) -> Option<i32> {
        Some(match expr {
            Expr::Int(value) => *value,
            Expr::Negate(Number::Int, operand) => self.known(*operand)?.wrapping_neg(),
            Expr::Not(operand) => i32::from(self.known(*operand)? == 0),
            Expr::And(left, right) => match self.known(*left)? {
                0 => 0,
                _ => i32::from(self.known(*right)? != 0),
            },
            Expr::Or(left, right) => match self.known(*left)? {
                0 => i32::from(self.known(*right)? != 0),
                _ => 1,
            },
            Expr::Binary { op, number: Number::Int, left, right } => {
                int_binary(*op, self.known(*left)?, self.known(*right)?).ok()?
            }
            Expr::Conditional { condition, then, otherwise } => match self.known(*condition)? {
                0 => self.known(*otherwise)?,
                _ => self.known(*then)?,
            },
            Expr::Read(place) if place.base == Base::Constant => {
                let mut at = u64::from(place.offset.ints);
                for index in &place.indices {
                    let n = i64::from(self.known(index.value)?) - i64::from(index.lo);
                    let n = u64::try_from(n).ok().filter(|n| *n < u64::from(index.len))?;
                    at += n * u64::from(index.stride.ints);
                }
                *network.constants.ints.get(usize::try_from(at).ok()?)?
            }
            _ => return None,
        })
    }
}

pub(crate) fn kind_of(ty: &Type) -> Kind {
    match ty {
        Type::Bool | Type::Int(_) | Type::Scalar(_) | Type::String => Kind::Int,
        Type::Double => Kind::Double,
        Type::Struct(_) | Type::Array(_) => Kind::Cells,
        Type::Void | Type::Clock { .. } | Type::Channel(_) => Kind::Void,
    }
}

/// Levels of blocks inside of each other.
fn nesting(statements: &[Statement]) -> usize {
    let mut waiting: Vec<(&Statement, usize)> = statements.iter().map(|statement| (statement, 1)).collect();
    let mut most = 0;
    while let Some((statement, level)) = waiting.pop() {
        most = most.max(level);
        match statement {
            Statement::Block(inner) => waiting.extend(inner.iter().map(|inner| (inner, level + 1))),
            Statement::While { body, .. }
            | Statement::DoWhile { body, .. }
            | Statement::For { body, .. }
            | Statement::ForEach { body, .. } => waiting.push((body, level + 1)),
            Statement::If { arms, otherwise } => {
                waiting.extend(arms.iter().map(|(_, body)| (body, level + 1)));
                waiting.extend(otherwise.iter().map(|body| (&**body, level + 1)));
            }
            Statement::Expr(_) | Statement::Local { .. } | Statement::Return(_) | Statement::Assert(_) => {}
        }
    }
    most
}
