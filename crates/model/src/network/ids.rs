//! Names for the parts of a network: typed indices, never a bare `usize` across a border.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl $name {
            pub fn new(index: usize) -> $name {
                $name(index as u32)
            }

            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// An expression of [`super::Code`].
    ExprId;
    FunctionId;
    /// A template, specialised for the parameters that its types depend on.
    TemplateId;
    ProcessId;
    /// A location, counted within its template in the order written.
    LocationId;
    /// An edge, counted within its template.
    EdgeId;
    ClockId;
    ChannelId;
}
