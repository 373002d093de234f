//! Where two scores are equal, as one constant moves. Closed forms, or bisection on pieces where
//! the difference is known to be monotone.

/// Roots of c₀ + c₁x + c₂x² + c₃x³ in [low, high].
pub fn cubic(c: [f64; 4], low: f64, high: f64) -> Vec<f64> {
    let value = |x: f64| ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
    let mut cuts = vec![low];
    cuts.extend(
        quadratic([c[1], 2.0 * c[2], 3.0 * c[3]])
            .into_iter()
            .filter(|x| *x > low && *x < high),
    );
    cuts.push(high);
    cuts.sort_by(f64::total_cmp);
    monotone_pieces(&cuts, value)
}

/// Real roots of c₀ + c₁x + c₂x².
fn quadratic(c: [f64; 3]) -> Vec<f64> {
    if c[2] == 0.0 {
        return if c[1] == 0.0 {
            Vec::new()
        } else {
            vec![-c[0] / c[1]]
        };
    }
    let discriminant = c[1] * c[1] - 4.0 * c[2] * c[0];
    if discriminant < 0.0 {
        return Vec::new();
    }
    // The form that loses no digits to cancellation.
    let q = -0.5 * (c[1] + discriminant.sqrt().copysign(c[1]));
    let mut roots = vec![q / c[2]];
    if q != 0.0 {
        roots.push(c[0] / q);
    }
    roots
}

/// The root of a + bx, if there is one in [low, high].
pub fn linear(a: f64, b: f64, low: f64, high: f64) -> Option<f64> {
    let root = -a / b;
    (b != 0.0 && (low..=high).contains(&root)).then_some(root)
}

/// Roots of a + b·2^(−pt) + c·2^(−qt) in [low, high].
pub fn two_exponentials(
    a: f64,
    (b, p): (f64, f64),
    (c, q): (f64, f64),
    low: f64,
    high: f64,
) -> Vec<f64> {
    let value = |t: f64| a + b * (-p * t).exp2() + c * (-q * t).exp2();
    let mut cuts = vec![low];
    // The derivative is zero where b·p·2^(−pt) = −c·q·2^(−qt).
    let ratio = -(b * p) / (c * q);
    if ratio > 0.0 && p != q {
        let turn = ratio.log2() / (p - q);
        if turn > low && turn < high {
            cuts.push(turn);
        }
    }
    cuts.push(high);
    monotone_pieces(&cuts, value)
}

fn monotone_pieces(cuts: &[f64], value: impl Fn(f64) -> f64) -> Vec<f64> {
    cuts.windows(2)
        .filter_map(|piece| between(piece[0], piece[1], &value))
        .collect()
}

/// Where a function changes its sign between two places, or touches zero at the first.
pub fn between(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> Option<f64> {
    let (at_low, at_high) = (value(low), value(high));
    if at_low == 0.0 {
        return Some(low);
    }
    if (at_low > 0.0) == (at_high > 0.0) {
        return None;
    }
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if (value(middle) > 0.0) == (at_low > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_where_they_should_be() {
        // (x − 1)(x − 2)(x − 5)
        let roots = cubic([-10.0, 17.0, -8.0, 1.0], 0.0, 10.0);
        assert_eq!(roots.len(), 3);
        for (root, wanted) in roots.iter().zip([1.0, 2.0, 5.0]) {
            assert!((root - wanted).abs() < 1e-9);
        }
        assert!(cubic([-10.0, 17.0, -8.0, 1.0], 3.0, 4.0).is_empty());
        assert_eq!(linear(-4.0, 2.0, 0.0, 10.0), Some(2.0));
        assert_eq!(linear(-4.0, 0.0, 0.0, 10.0), None);
        // 1 − 3·2^(−t) + 2·2^(−2t) = (1 − u)(1 − 2u) with u = 2^(−t): t = 0 and t = 1.
        let roots = two_exponentials(1.0, (-3.0, 1.0), (2.0, 2.0), 0.0, 10.0);
        assert!(
            roots.iter().any(|root| (root - 1.0).abs() < 1e-9),
            "{roots:?}"
        );
    }
}
