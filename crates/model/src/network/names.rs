//! Names of cells, for people: `Train(3).x`, `list[2].id`, `appr[4]`.

use super::{ChannelId, ClockId, Extent, IndexType, Network, Type, Variable};

/// Which kind of cell a name is wanted for.
#[derive(Clone, Copy)]
enum Kind {
    Int,
    Double,
    Clock,
    Channel,
}

impl Kind {
    fn of(self, extent: Extent) -> u32 {
        match self {
            Kind::Int => extent.ints,
            Kind::Double => extent.doubles,
            Kind::Clock => extent.clocks,
            Kind::Channel => extent.channels,
        }
    }
}

impl Network {
    pub fn clock_name(&self, clock: ClockId) -> String {
        self.cell_name(Kind::Clock, clock.index() as u32)
    }

    pub fn channel_name(&self, channel: ChannelId) -> String {
        self.cell_name(Kind::Channel, channel.index() as u32)
    }

    /// The name of an integer cell of the state.
    pub fn int_name(&self, cell: usize) -> String {
        self.cell_name(Kind::Int, cell as u32)
    }

    /// The name of a double cell of the state.
    pub fn double_name(&self, cell: usize) -> String {
        self.cell_name(Kind::Double, cell as u32)
    }

    fn cell_name(&self, kind: Kind, cell: u32) -> String {
        // Globals are laid out first, then the processes in order.
        let after = self.processes.partition_point(|process| kind.of(process.state) <= cell);
        let global_end = self.globals.last().map_or(0, |last| kind.of(last.offset + last.ty.extent()));
        if cell < global_end {
            return name_in(&self.globals, kind, cell).unwrap_or_default();
        }
        let Some(process) = after.checked_sub(1).and_then(|index| self.processes.get(index)) else {
            return String::new();
        };
        let variables = &self.template(process.template).variables;
        let name = name_in(variables, kind, cell - kind.of(process.state)).unwrap_or_default();
        format!("{}.{name}", process.name)
    }
}

fn name_in(variables: &[Variable], kind: Kind, cell: u32) -> Option<String> {
    let after = variables.partition_point(|variable| kind.of(variable.offset) <= cell);
    // Variables without cells of this kind share their offset with the next: take the one that holds the cell.
    let variable = variables[..after].iter().rev().find(|variable| kind.of(variable.ty.extent()) > 0)?;
    let mut name = variable.name.to_string();
    push_part(&mut name, &variable.ty, kind, cell - kind.of(variable.offset));
    Some(name)
}

fn push_part(name: &mut String, ty: &Type, kind: Kind, mut cell: u32) {
    match ty {
        Type::Array(array) => {
            let stride = kind.of(array.element.extent()).max(1);
            let lo = match array.index {
                IndexType::Range(range) => i64::from(range.lo),
                IndexType::Scalar(_) | IndexType::Unknown => 0,
            };
            name.push_str(&format!("[{}]", lo + i64::from(cell / stride)));
            push_part(name, &array.element, kind, cell % stride);
        }
        Type::Struct(structure) => {
            for (field, ty) in &structure.fields {
                let cells = kind.of(ty.extent());
                if cell < cells {
                    name.push('.');
                    name.push_str(field);
                    push_part(name, ty, kind, cell);
                    return;
                }
                cell -= cells;
            }
        }
        _ => {}
    }
}
