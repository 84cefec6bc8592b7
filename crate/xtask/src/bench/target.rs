//! What a figure of the bench should reach, and how far it is from that.

/// A bound, and the figure that is held against it.
pub(super) struct Target {
    bound: f64,
    found: f64,
    side: Side,
    unit: &'static str,
}

#[derive(PartialEq, Eq)]
enum Side {
    Most,
    Least,
}

impl Target {
    /// A ratio that is at most `bound`.
    pub(super) fn at_most(bound: f64, found: f64) -> Self {
        Self { bound, found, side: Side::Most, unit: "×" }
    }

    /// A ratio that is at least `bound`.
    pub(super) fn at_least(bound: f64, found: f64) -> Self {
        Self { bound, found, side: Side::Least, unit: "×" }
    }

    /// A number of bytes that is at most `bound`.
    pub(super) fn bytes(bound: usize, found: usize) -> Self {
        Self { bound: bound as f64, found: found as f64, side: Side::Most, unit: " B" }
    }

    /// Whether it is reached.
    pub(super) fn met(&self) -> bool {
        self.left() >= 0.0
    }

    /// The bound in words: `≤ 2×`.
    pub(super) fn text(&self) -> String {
        let sign = if self.side == Side::Most { '≤' } else { '≥' };
        format!("{sign} {}{}", self.bound, self.unit)
    }

    /// What is left to the bound, in percent of it: `12 % left`, or `MISSED by 8 %`.
    pub(super) fn margin(&self) -> String {
        let left = self.left();
        if self.met() { format!("{left:.0} % left") } else { format!("MISSED by {:.0} %", -left) }
    }

    /// Percent of the bound; negative when it is missed.
    pub(super) fn left(&self) -> f64 {
        let over = (self.found - self.bound) / self.bound * 100.0;
        if self.side == Side::Most { 0.0 - over } else { over }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn margin_is_in_percent_of_the_bound() {
        let most = Target::at_most(2.0, 1.5);
        assert_eq!((most.met(), most.text().as_str(), most.margin().as_str()), (true, "≤ 2×", "25 % left"));
        assert_eq!(Target::at_most(2.0, 2.5).margin(), "MISSED by 25 %");
        assert_eq!(Target::at_least(1.0, 3.2).margin(), "220 % left");
        assert_eq!(Target::at_least(1.0, 0.9).margin(), "MISSED by 10 %");
        assert_eq!(Target::bytes(800_000, 600_000).text(), "≤ 800000 B");
    }
}
