//! A value that clones share until one of them changes it.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Reads as the value itself. Whoever writes has the only copy afterwards: writing copies the value
/// first where others share it.
#[derive(Default, Debug)]
pub struct Shared<T>(Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Shared<T> {
        Shared(Arc::new(value))
    }
}

impl<T: Clone> Shared<T> {
    /// The value, copied where others share it.
    pub fn into_inner(self) -> T {
        Arc::unwrap_or_clone(self.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;

    #[test]
    fn who_writes_does_not_change_what_others_read() {
        let mut first: Shared<Vec<u8>> = Shared::default();
        first.push(1);
        let second = first.clone();
        assert!(std::ptr::eq(&*first, &*second));
        first.push(2);
        assert_eq!((first.len(), second.len()), (2, 1));
    }
}
