//! Types after all their sizes are known, and how values of them are laid out in memory.
//!
//! A value occupies cells of four kinds: integers (also booleans and scalars), doubles, clocks and channels. An
//! [`Extent`] counts cells of each kind, so that one mechanism lays out `struct { int a; clock x; } s[3]` as well as `int i`.

use crate::limits;
use crate::syntax::ast::Name;
use std::fmt;
use std::ops::Add;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Bool,
    /// Full 32 bits, as `const int` has it, is the range [`Range::FULL`].
    Int(Range),
    Double,
    String,
    Scalar(ScalarSet),
    Clock {
        hybrid: bool,
    },
    Channel(ChannelKind),
    Struct(Arc<StructType>),
    Array(Arc<ArrayType>),
}

/// Both ends belong to the range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    pub lo: i32,
    pub hi: i32,
}

/// Scalar sets are told apart by where they are written, not by their size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScalarSet {
    pub origin: u32,
    pub size: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ChannelKind {
    pub urgent: bool,
    pub broadcast: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructType {
    pub fields: Vec<(Name, Type)>,
    extent: Extent,
    bulk: Bulk,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    pub index: IndexType,
    pub element: Type,
    extent: Extent,
    bulk: Bulk,
}

/// How much there is of a type as such, whatever its values take: bounds every walk over it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Bulk {
    /// Parts counted with repetition.
    parts: u64,
    /// Levels of structs and arrays.
    depth: u32,
}

impl Bulk {
    fn is_allowed(self) -> bool {
        self.parts <= limits::TYPE_PARTS && self.depth <= limits::NESTING
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IndexType {
    Range(Range),
    Scalar(ScalarSet),
    /// The size depends on a template parameter that has no value yet.
    Unknown,
}

impl Range {
    pub const FULL: Range = Range { lo: i32::MIN, hi: i32::MAX };
    /// What a plain `int` holds.
    pub const INT: Range = Range { lo: -32768, hi: 32767 };
    pub const BIT: Range = Range { lo: 0, hi: 1 };

    pub fn contains(self, value: i32) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// How many values; at most 2^32.
    pub fn count(self) -> u64 {
        (i64::from(self.hi) - i64::from(self.lo) + 1).max(0) as u64
    }

    /// Bits that tell the values apart.
    pub fn bits(self) -> u32 {
        64 - self.count().saturating_sub(1).leading_zeros()
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{}]", self.lo, self.hi)
    }
}

impl IndexType {
    pub fn lo(self) -> i32 {
        match self {
            IndexType::Range(range) => range.lo,
            IndexType::Scalar(_) | IndexType::Unknown => 0,
        }
    }

    /// An unknown size counts as one element.
    pub fn count(self) -> u64 {
        match self {
            IndexType::Range(range) => range.count(),
            IndexType::Scalar(set) => u64::from(set.size),
            IndexType::Unknown => 1,
        }
    }
}

/// Cells of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Extent {
    pub ints: u32,
    pub doubles: u32,
    pub clocks: u32,
    pub channels: u32,
}

impl Extent {
    pub fn cells(self) -> u64 {
        u64::from(self.ints) + u64::from(self.doubles) + u64::from(self.clocks) + u64::from(self.channels)
    }

    /// `None` beyond the limit of cells.
    pub fn times(self, factor: u64) -> Option<Extent> {
        let limited =
            |cells: u32| u64::from(cells).checked_mul(factor).filter(|n| *n <= limits::CELLS).map(|n| n as u32);
        Some(Extent {
            ints: limited(self.ints)?,
            doubles: limited(self.doubles)?,
            clocks: limited(self.clocks)?,
            channels: limited(self.channels)?,
        })
    }

    pub fn max(self, other: Extent) -> Extent {
        Extent {
            ints: self.ints.max(other.ints),
            doubles: self.doubles.max(other.doubles),
            clocks: self.clocks.max(other.clocks),
            channels: self.channels.max(other.channels),
        }
    }
}

/// Sums stay far below `u32::MAX`: every summand is limited to [`limits::CELLS`] and totals are checked against it.
impl Add for Extent {
    type Output = Extent;
    fn add(self, other: Extent) -> Extent {
        Extent {
            ints: self.ints.saturating_add(other.ints),
            doubles: self.doubles.saturating_add(other.doubles),
            clocks: self.clocks.saturating_add(other.clocks),
            channels: self.channels.saturating_add(other.channels),
        }
    }
}

impl Type {
    /// A struct, or `None` beyond the limits.
    pub fn structure(fields: Vec<(Name, Type)>) -> Option<Type> {
        let extent = fields.iter().fold(Extent::default(), |sum, (_, ty)| sum + ty.extent());
        let bulk = Bulk {
            parts: 1 + fields.iter().map(|(_, ty)| ty.bulk().parts).sum::<u64>(),
            depth: 1 + fields.iter().map(|(_, ty)| ty.bulk().depth).max().unwrap_or(0),
        };
        (extent.cells() <= limits::CELLS && bulk.is_allowed())
            .then(|| Type::Struct(Arc::new(StructType { fields, extent, bulk })))
    }

    /// An array, or `None` beyond the limits.
    pub fn array(index: IndexType, element: Type) -> Option<Type> {
        let extent = element.extent().times(index.count())?;
        let inner = element.bulk();
        let bulk = Bulk { parts: 1 + inner.parts, depth: 1 + inner.depth };
        (extent.cells() <= limits::CELLS && bulk.is_allowed())
            .then(|| Type::Array(Arc::new(ArrayType { index, element, extent, bulk })))
    }

    /// Cells that a value takes.
    pub fn extent(&self) -> Extent {
        let none = Extent::default();
        match self {
            Type::Void => none,
            Type::Bool | Type::Int(_) | Type::Scalar(_) | Type::String => Extent { ints: 1, ..none },
            Type::Double => Extent { doubles: 1, ..none },
            Type::Clock { .. } => Extent { clocks: 1, ..none },
            Type::Channel(_) => Extent { channels: 1, ..none },
            Type::Struct(structure) => structure.extent,
            Type::Array(array) => array.extent,
        }
    }

    fn bulk(&self) -> Bulk {
        match self {
            Type::Struct(structure) => structure.bulk,
            Type::Array(array) => array.bulk,
            _ => Bulk { parts: 1, depth: 0 },
        }
    }

    /// Where a field starts in a struct, and its type.
    pub fn field(&self, name: &str) -> Option<(Extent, &Type)> {
        let Type::Struct(structure) = self else { return None };
        let mut offset = Extent::default();
        for (field, ty) in &structure.fields {
            if &**field == name {
                return Some((offset, ty));
            }
            offset = offset + ty.extent();
        }
        None
    }

    /// int, bool, scalar: one integer cell.
    pub fn is_discrete(&self) -> bool {
        matches!(self, Type::Bool | Type::Int(_) | Type::Scalar(_))
    }

    pub fn is_integral(&self) -> bool {
        matches!(self, Type::Bool | Type::Int(_))
    }

    pub fn is_aggregate(&self) -> bool {
        matches!(self, Type::Struct(_) | Type::Array(_))
    }

    /// The type under all array dimensions.
    pub fn innermost(&self) -> &Type {
        let mut ty = self;
        while let Type::Array(array) = ty {
            ty = &array.element;
        }
        ty
    }

    /// Values an integer cell of this type may hold.
    pub fn range(&self) -> Range {
        match self {
            Type::Bool => Range::BIT,
            Type::Int(range) => *range,
            Type::Scalar(set) => Range { lo: 0, hi: set.size as i32 - 1 },
            _ => Range::FULL,
        }
    }

    /// Whether some part of a value is of a kind for which `test` holds.
    pub fn contains(&self, test: &dyn Fn(&Type) -> bool) -> bool {
        match self {
            Type::Struct(structure) => structure.fields.iter().any(|(_, ty)| ty.contains(test)),
            Type::Array(array) => array.element.contains(test),
            other => test(other),
        }
    }

    /// Calls `visit` for every integer cell of a value, in order.
    pub fn for_each_int(&self, visit: &mut dyn FnMut(Range)) {
        match self {
            Type::Bool | Type::Int(_) | Type::Scalar(_) | Type::String => visit(self.range()),
            Type::Struct(structure) => structure.fields.iter().for_each(|(_, ty)| ty.for_each_int(visit)),
            Type::Array(array) => {
                // There may be any number of elements without cells.
                if array.extent.ints > 0 {
                    (0..array.index.count()).for_each(|_| array.element.for_each_int(visit));
                }
            }
            Type::Void | Type::Double | Type::Clock { .. } | Type::Channel(_) => {}
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Bool => f.write_str("bool"),
            Type::Int(range) if *range == Range::FULL || *range == Range::INT => f.write_str("int"),
            Type::Int(range) => write!(f, "int{range}"),
            Type::Double => f.write_str("double"),
            Type::String => f.write_str("string"),
            Type::Scalar(set) => write!(f, "scalar[{}]", set.size),
            Type::Clock { hybrid: true } => f.write_str("hybrid clock"),
            Type::Clock { hybrid: false } => f.write_str("clock"),
            Type::Channel(kind) => {
                if kind.urgent {
                    f.write_str("urgent ")?;
                }
                if kind.broadcast {
                    f.write_str("broadcast ")?;
                }
                f.write_str("chan")
            }
            // Enough to recognise it by.
            Type::Struct(structure) if structure.bulk.parts > 12 => {
                let names: Vec<&str> = structure.fields.iter().take(3).map(|(name, _)| &**name).collect();
                let more = if structure.fields.len() > 3 { ", ..." } else { "" };
                write!(f, "struct {{ {}{more} }}", names.join(", "))
            }
            Type::Struct(structure) => {
                f.write_str("struct {")?;
                for (name, ty) in &structure.fields {
                    write!(f, " {ty} {name};")?;
                }
                f.write_str(" }")
            }
            Type::Array(_) => {
                write!(f, "{}", self.innermost())?;
                let mut ty = self;
                while let Type::Array(array) = ty {
                    match array.index {
                        IndexType::Range(Range { lo: 0, hi }) => write!(f, "[{}]", i64::from(hi) + 1)?,
                        IndexType::Range(range) => write!(f, "[int{range}]")?,
                        IndexType::Scalar(set) => write!(f, "[scalar[{}]]", set.size)?,
                        IndexType::Unknown => f.write_str("[]")?,
                    }
                    ty = &array.element;
                }
                Ok(())
            }
        }
    }
}
