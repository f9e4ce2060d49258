//! Clock bounds that are the same in every state.

use model::network::{Expr, ExprId, ProcessId};
use semantics::code::ClockBound;
use semantics::reads::fixed_bound;
use semantics::structure::Structure;

/// A stretch of fixed bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fixed {
    Bounds(u32, u32),
    /// It depends on the state.
    No,
}

/// Bounds that are the same in every state, so that they need not be computed.
#[derive(Debug, Default)]
pub(crate) struct FixedBounds {
    list: Vec<ClockBound>,
}

impl FixedBounds {
    #[inline]
    pub fn of(&self, (start, end): (u32, u32)) -> &[ClockBound] {
        &self.list[start as usize..end as usize]
    }

    /// The conditions, if each is a clock constraint that does not depend on the state.
    pub(super) fn add(
        &mut self,
        structure: &Structure,
        process: usize,
        select: &[i32],
        conditions: &[ExprId],
    ) -> Fixed {
        let network = structure.network;
        let owner = network.process(ProcessId::new(process));
        let start = self.list.len();
        for part in conditions {
            let Expr::ClockConstraint(constraint) = network.code.expr(*part) else {
                self.list.truncate(start);
                return Fixed::No;
            };
            let Some(bound) = fixed_bound(network, owner, select, constraint) else {
                self.list.truncate(start);
                return Fixed::No;
            };
            self.list.push(bound);
        }
        Fixed::Bounds(start as u32, self.list.len() as u32)
    }
}
