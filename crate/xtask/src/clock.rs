//! How long a piece of work took, and how many cores it kept busy.

use std::fmt;
use std::time::{Duration, Instant};

/// Ticks of a second in `/proc`, on every Linux.
const TICKS: f64 = 100.0;

/// Started before the work; shown after it.
pub(crate) struct Clock {
    start: Instant,
    cpu: Option<f64>,
}

impl Clock {
    /// Starts now.
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), cpu: cpu() }
    }

    /// The time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// `12.3 s, 1.8 cores`; without the cores where there is no `/proc`.
impl fmt::Display for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed().as_secs_f64();
        write!(out, "{seconds:.1} s")?;
        match self.cpu.zip(cpu()) {
            Some((before, after)) => write!(out, ", {:.1} cores", (after - before) / seconds.max(0.01)),
            None => Ok(()),
        }
    }
}

/// Seconds of processor time of this process and of those that it started and has waited for.
fn cpu() -> Option<f64> {
    cpu_of(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

fn cpu_of(stat: &str) -> Option<f64> {
    // `id (name) state …`: the four times are the fields 14 to 17, the state is the third.
    let fields = stat.rsplit_once(") ")?.1.split(' ');
    let times = fields.skip(11).take(4).map(|field| field.parse::<f64>().ok());
    Some(times.sum::<Option<f64>>()? / TICKS)
}

#[cfg(test)]
mod tests {
    use super::cpu_of;

    #[test]
    fn reads_the_four_times() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 1 2 3 4 100 20 3000 400 20 0 1 0";
        assert_eq!(cpu_of(stat), Some(35.2));
    }
}
