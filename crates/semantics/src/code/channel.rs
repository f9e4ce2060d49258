//! Which channel a synchronisation means, and whether that can ever change.

use super::traits::Traits;
use model::network::{Argument, Base, ChannelId, Expr, Network, Place};

/// The code of a channel expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelCode {
    pub(super) start: u32,
    /// The same channel for every process in every state.
    pub(super) constant: Option<ChannelId>,
    /// The channel depends on the process and the select values only: evaluated once, it stays.
    pub fixed: bool,
}

/// A global channel with constant indices.
pub(super) fn constant_channel(traits: &Traits, place: &Place) -> Option<ChannelId> {
    if place.base != Base::Global {
        return None;
    }
    let mut at = u64::from(place.offset.channels);
    for index in &place.indices {
        let value = i64::from(traits.known(index.value)?) - i64::from(index.lo);
        let value = u64::try_from(value).ok().filter(|value| *value < u64::from(index.len))?;
        at += value * u64::from(index.stride.channels);
    }
    Some(ChannelId::new(at as usize))
}

/// Whether the indices of a channel read nothing that changes.
pub(super) fn is_fixed(network: &Network, place: &Place) -> bool {
    place.indices.iter().all(|index| {
        let mut fixed = true;
        network.code.walk(index.value, &mut |_, expr| {
            fixed &= match expr {
                Expr::Read(place) => !is_variable(&place.base),
                Expr::Call { arguments, .. } => arguments.iter().all(|argument| match argument {
                    Argument::Value(_) => true,
                    Argument::Reference(place) => !is_variable(&place.base),
                }),
                Expr::LocationIs { .. } | Expr::LocationOf { .. } => false,
                _ => true,
            };
        });
        fixed
    })
}

fn is_variable(base: &Base) -> bool {
    matches!(base, Base::Global | Base::Local | Base::Parameter(_) | Base::Member(..))
}
