//! Numbers of a vector rounded to bytes and to pairs of bytes.

/// A whole number that a vector's numbers are rounded to.
pub(super) trait Rounded: Copy {
    const ZERO: Self;
    const LARGEST: f32;
    fn round(value: f32) -> Self;
}

impl Rounded for i8 {
    const ZERO: Self = 0;
    const LARGEST: f32 = 127.0;
    fn round(value: f32) -> Self {
        value.round() as Self
    }
}

impl Rounded for i16 {
    const ZERO: Self = 0;
    const LARGEST: f32 = 32767.0;
    fn round(value: f32) -> Self {
        value.round() as Self
    }
}

/// Rounds a vector, its largest number becoming ± the largest there is; returns what one step
/// stands for.
pub(super) fn quantise<T: Rounded>(vector: &[f32], into: &mut [T]) -> f32 {
    let largest = vector
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest <= 0.0 {
        into.fill(T::ZERO);
        return 0.0;
    }
    let factor = T::LARGEST / largest;
    for (rounded, value) in into.iter_mut().zip(vector) {
        *rounded = T::round(value * factor);
    }
    largest / T::LARGEST
}
