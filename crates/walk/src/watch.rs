//! What has to be looked at again when a cell of the state changes.

use std::ops::Range;

/// Something a process does in a location, which may depend on a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Watcher {
    pub process: u32,
    /// An edge of the network's structure, or a piece of an invariant with [`INVARIANT`].
    what: u32,
}

const INVARIANT: u32 = 1 << 31;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Guard(u32),
    Invariant(u32),
}

impl Watcher {
    pub fn guard(process: usize, edge: u32) -> Watcher {
        Watcher { process: process as u32, what: edge }
    }

    pub fn invariant(process: usize, piece: usize) -> Watcher {
        Watcher { process: process as u32, what: INVARIANT | piece as u32 }
    }

    #[inline]
    pub fn what(self) -> What {
        if self.what & INVARIANT == 0 { What::Guard(self.what) } else { What::Invariant(self.what & !INVARIANT) }
    }
}

/// Watchers by cell. Those of long stretches are kept once for all cells, not once for each.
#[derive(Default, Debug)]
pub(crate) struct Watch {
    list: Vec<Watcher>,
    starts: Vec<u32>,
    wide: Vec<(Range<u32>, Watcher)>,
}

/// Stretches longer than this are wide.
const LONG: usize = 64;

impl Watch {
    pub fn new(cells: usize, found: Vec<(Range<u32>, Watcher)>) -> Watch {
        let (narrow, wide): (Vec<_>, Vec<_>) = found.into_iter().partition(|(range, _)| range.len() <= LONG);
        let mut single: Vec<(u32, Watcher)> =
            narrow.into_iter().flat_map(|(range, watcher)| range.map(move |cell| (cell, watcher))).collect();
        single.retain(|(cell, _)| (*cell as usize) < cells);
        single.sort_unstable();
        single.dedup();
        let mut starts = vec![0; cells + 1];
        single.iter().for_each(|(cell, _)| starts[*cell as usize + 1] += 1);
        for n in 1..starts.len() {
            starts[n] += starts[n - 1];
        }
        Watch { list: single.into_iter().map(|(_, watcher)| watcher).collect(), starts, wide }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(self.list.as_slice()) + size_of_val(self.starts.as_slice()) + size_of_val(self.wide.as_slice())
    }

    #[inline]
    pub fn of(&self, cell: u32) -> &[Watcher] {
        &self.list[self.starts[cell as usize] as usize..self.starts[cell as usize + 1] as usize]
    }

    /// The watchers of long stretches.
    #[inline]
    pub fn wide(&self) -> &[(Range<u32>, Watcher)] {
        &self.wide
    }
}
