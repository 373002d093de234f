//! Where two scores are equal, as one constant moves. Closed forms, or bisection on pieces where
//! the difference is known to be monotone.

/// Roots of Σ wᵢ/(x + rᵢ) in [low, high], in order, with each term given as (wᵢ, rᵢ), low + rᵢ > 0.
///
/// They are those of its numerator, a polynomial of one degree less than there are different rᵢ. The
/// sum itself is asked for the signs between them, since it loses fewer digits.
pub fn reciprocals(terms: &[(f64, f64)], low: f64, high: f64) -> Vec<f64> {
    let mut terms = terms.to_vec();
    terms.sort_by(|a, b| a.1.total_cmp(&b.1));
    terms.dedup_by(|next, kept| {
        let same = next.1.total_cmp(&kept.1).is_eq();
        if same {
            kept.0 += next.0;
        }
        same
    });
    terms.retain(|(weight, _)| *weight != 0.0);
    if terms.len() < 2 {
        // Nothing is zero everywhere, and one term nowhere.
        return Vec::new();
    }
    let numerator = numerator(&terms);
    let cuts = cuts(&derivative(&numerator), low, high);
    monotone_pieces(&cuts, |x| {
        terms.iter().map(|(weight, rank)| weight / (x + rank)).sum()
    })
}

/// The numerator of Σ wᵢ/(x + rᵢ), as coefficients of 1, x, x², ….
fn numerator(terms: &[(f64, f64)]) -> Vec<f64> {
    let mut sum = vec![0.0; terms.len()];
    for (at, &(weight, _)) in terms.iter().enumerate() {
        let mut product = vec![0.0; terms.len()];
        product[0] = weight;
        for (other, &(_, rank)) in terms.iter().enumerate() {
            if other != at {
                for power in (0..product.len()).rev() {
                    let lower = if power > 0 { product[power - 1] } else { 0.0 };
                    product[power] = product[power] * rank + lower;
                }
            }
        }
        for (total, part) in sum.iter_mut().zip(product) {
            *total += part;
        }
    }
    sum
}

fn derivative(coefficients: &[f64]) -> Vec<f64> {
    (1_u32..)
        .zip(coefficients.iter().skip(1))
        .map(|(power, coefficient)| f64::from(power) * coefficient)
        .collect()
}

/// Both ends and the roots of a polynomial between them, in order: between two of these its integral is
/// monotone.
fn cuts(coefficients: &[f64], low: f64, high: f64) -> Vec<f64> {
    let mut cuts = vec![low];
    let inner = match *coefficients {
        [] | [_] => Vec::new(),
        [a, b] => quadratic([a, b, 0.0]),
        [a, b, c] => quadratic([a, b, c]),
        _ => monotone_pieces(&self::cuts(&derivative(coefficients), low, high), |x| {
            coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
        }),
    };
    cuts.extend(inner.into_iter().filter(|x| *x > low && *x < high));
    cuts.push(high);
    cuts.sort_by(f64::total_cmp);
    cuts
}

/// Real roots of c₀ + c₁x + c₂x².
pub fn quadratic(c: [f64; 3]) -> Vec<f64> {
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

/// Roots in t of Σ c·2^(−rt) in [low, high], in order, with each exponential given as its factor c
/// and its rate r ≥ 0; rate 0 is a constant.
///
/// Divided by its slowest exponential the sum is a constant and faster ones, so its derivative has
/// one exponential less; between the roots of that one it is monotone.
pub fn exponentials(terms: &[(f64, f64)], low: f64, high: f64) -> Vec<f64> {
    let mut terms = terms.to_vec();
    terms.sort_by(|a, b| a.1.total_cmp(&b.1));
    terms.dedup_by(|next, kept| {
        let same = next.1.total_cmp(&kept.1).is_eq();
        if same {
            kept.0 += next.0;
        }
        same
    });
    terms.retain(|(factor, _)| *factor != 0.0);
    let [(_, slowest), _, ..] = *terms.as_slice() else {
        // Nothing is zero everywhere, and one exponential nowhere.
        return Vec::new();
    };
    for (_, rate) in &mut terms {
        *rate -= slowest;
    }
    let slopes: Vec<(f64, f64)> = terms[1..]
        .iter()
        .map(|&(factor, rate)| (factor * rate, rate))
        .collect();
    let mut cuts = vec![low];
    cuts.extend(exponentials(&slopes, low, high));
    cuts.push(high);
    monotone_pieces(&cuts, |t| {
        terms
            .iter()
            .map(|(factor, rate)| factor * libm::exp2(-rate * t))
            .sum()
    })
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

/// Where a function changes its sign, looked at in order, given what it is at each look: few functions
/// change at all, and asking is what costs. Between looks that do not differ in sign but come nearer to
/// zero in the middle, the nearest place is searched, so that a pair of changes close together is found
/// as well.
pub fn sign_changes(looks: &[f64], values: &[f64], value: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut found: Vec<f64> = looks
        .windows(2)
        .zip(values.windows(2))
        .filter(|(_, ends)| ends[0] == 0.0 || (ends[0] > 0.0) != (ends[1] > 0.0))
        .filter_map(|(piece, _)| between(piece[0], piece[1], &value))
        .collect();
    for at in 1..looks.len().saturating_sub(1) {
        let (before, here, after) = (values[at - 1], values[at], values[at + 1]);
        let one_sign = (before > 0.0) == (here > 0.0) && (here > 0.0) == (after > 0.0);
        if !one_sign || here.abs() > before.abs() || here.abs() > after.abs() {
            continue;
        }
        let sign = here.signum();
        let (mut low, mut high) = (looks[at - 1], looks[at + 1]);
        for _ in 0..60 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if sign * value(left) < sign * value(right) {
                high = right;
            } else {
                low = left;
            }
        }
        let turn = f64::midpoint(low, high);
        if sign * value(turn) < 0.0 {
            found.extend(between(looks[at - 1], turn, &value));
            found.extend(between(turn, looks[at + 1], &value));
        }
    }
    found.sort_by(f64::total_cmp);
    found.dedup_by(|a, b| (*a - *b).abs() < 1e-12);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_where_they_should_be() {
        // Weights p(−r)/∏(s − r) over the other s make p(x)/∏(x + r), p = (x − 1)(x − 2)(x − 5).
        let poles = [1.0, 3.0, 4.0, 7.0];
        let mut terms: Vec<(f64, f64)> = poles
            .iter()
            .map(|&r: &f64| {
                let others = poles.iter().filter(|s| **s != r);
                let below: f64 = others.map(|s| s - r).product();
                ((-r - 1.0) * (-r - 2.0) * (-r - 5.0) / below, r)
            })
            .collect();
        // A term in two pieces, and one that adds nothing.
        terms[0].0 -= 0.5;
        terms.extend([(0.5, 1.0), (2.0, 9.0), (-2.0, 9.0)]);
        let roots = reciprocals(&terms, 0.0, 10.0);
        assert_eq!(roots.len(), 3, "{roots:?}");
        for (root, wanted) in roots.iter().zip([1.0, 2.0, 5.0]) {
            assert!((root - wanted).abs() < 1e-9, "{roots:?}");
        }
        assert!(reciprocals(&terms, 3.0, 4.0).is_empty());
        assert!(reciprocals(&[(1.0, 1.0), (1.0, 2.0)], 0.0, 10.0).is_empty());
        assert_eq!(linear(-4.0, 2.0, 0.0, 10.0), Some(2.0));
        assert_eq!(linear(-4.0, 0.0, 0.0, 10.0), None);
        // Two changes between two looks.
        let (looks, twice) = ([0.0, 1.0, 2.0, 3.0], |x: f64| (x - 1.4) * (x - 1.6));
        let pair = sign_changes(&looks, &looks.map(twice), twice);
        assert_eq!(pair.len(), 2);
        assert!((pair[0] - 1.4).abs() < 1e-9 && (pair[1] - 1.6).abs() < 1e-9);
        // 1 − 3·2^(−t) + 2·2^(−2t) = (1 − u)(1 − 2u) with u = 2^(−t): t = 0 and t = 1.
        let roots = exponentials(&[(1.0, 0.0), (-3.0, 1.0), (2.0, 2.0)], 0.0, 10.0);
        assert!(
            roots.iter().any(|root| (root - 1.0).abs() < 1e-9),
            "{roots:?}"
        );
        // (1 − 2u)(1 − 4u)(1 − 8u)(1 − 16u): t = 1, 2, 3, 4, with the terms in any order and split.
        let roots = exponentials(
            &[
                (1024.0, 4.0),
                (-30.0, 1.0),
                (500.0, 0.0),
                (280.0, 2.0),
                (-960.0, 3.0),
                (-499.0, 0.0),
            ],
            0.0,
            10.0,
        );
        assert_eq!(roots.len(), 4, "{roots:?}");
        for (root, wanted) in roots.iter().zip([1.0, 2.0, 3.0, 4.0]) {
            assert!((root - wanted).abs() < 1e-9, "{roots:?}");
        }
        assert!(exponentials(&[(1.0, 0.5)], 0.0, 10.0).is_empty());
        assert!(exponentials(&[(1.0, 0.5), (-1.0, 0.5)], 0.0, 10.0).is_empty());
    }
}
