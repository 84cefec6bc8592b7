//! Paths: `#.params.path.[0:20]`, `details.[].amount`, `@.value`, `$.metadata.constants.name`.

use crate::bounds::SEGMENTS;
use crate::value::Value;

/// What a path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// The structure being described.
    Relative,
    /// The arguments or the message.
    Data,
    /// The transaction, or the message's domain.
    Container,
    /// The descriptor.
    Descriptor,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Name(String),
    Index(i64),
    /// Of bytes, or of a list, whose members are then shown one after the other. `[]` is a slice of everything.
    Slice(Option<i64>, Option<i64>),
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) root: Root,
    pub(crate) segments: Vec<Segment>,
}

/// A value that a path leads to, with the places in the lists that were gone through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) value: Value,
    pub(crate) places: Vec<usize>,
}

impl Path {
    /// Reads a path.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (root, rest) = match text.split_at_checked(1)? {
            ("#", rest) => (Root::Data, rest),
            ("@", rest) => (Root::Container, rest),
            ("$", rest) => (Root::Descriptor, rest),
            _ => (Root::Relative, text),
        };
        let mut segments = Vec::new();
        for part in rest.split('.').filter(|part| !part.is_empty()) {
            let (name, mut brackets) = part.split_at_checked(part.find('[').unwrap_or(part.len()))?;
            if !name.is_empty() {
                segments.push(Segment::Name(name.to_owned()));
            }
            while let Some(inside) = brackets.strip_prefix('[') {
                let (inside, after) = inside.split_once(']')?;
                segments.push(selector(inside)?);
                brackets = after;
            }
            if !brackets.is_empty() || segments.len() > SEGMENTS {
                return None;
            }
        }
        Some(Self { root, segments })
    }

    /// The path that this one is inside of a group.
    pub(crate) fn within(self, group: &Self) -> Self {
        if self.root != Root::Relative {
            return self;
        }
        let mut segments = group.segments.clone();
        segments.extend(self.segments);
        Self { root: group.root, segments }
    }

    /// Whether both lead to the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let data = |root| if root == Root::Relative { Root::Data } else { root };
        data(self.root) == data(other.root) && self.segments == other.segments
    }

    /// The names, where it has nothing else.
    pub(crate) fn names(&self) -> Option<Vec<&str>> {
        let mut names = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let Segment::Name(name) = segment else { return None };
            names.push(name.as_str());
        }
        Some(names)
    }
}

fn selector(text: &str) -> Option<Segment> {
    let text = text.trim();
    let number = |text: &str| -> Option<Option<i64>> {
        let text = text.trim();
        if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
    };
    match text.split_once(':') {
        Some((from, to)) => Some(Segment::Slice(number(from)?, number(to)?)),
        None => Some(number(text)?.map_or(Segment::Slice(None, None), Segment::Index)),
    }
}

/// Goes along a path. `given` names the places in lists to take: those of the field that the path is a parameter of.
/// `None` where it leads nowhere, or visits more than `steps` allows.
pub(crate) fn select(
    value: &Value,
    segments: &[Segment],
    given: &[usize],
    steps: &mut usize,
) -> Option<Vec<Found>> {
    let mut found = Vec::new();
    walk(value, segments, given, &mut Vec::new(), steps, &mut found)?;
    Some(found)
}

fn walk(
    value: &Value,
    segments: &[Segment],
    given: &[usize],
    places: &mut Vec<usize>,
    steps: &mut usize,
    found: &mut Vec<Found>,
) -> Option<()> {
    *steps = steps.checked_sub(1)?;
    let Some((segment, rest)) = segments.split_first() else {
        found.push(Found { value: value.clone(), places: places.clone() });
        return Some(());
    };
    match (segment, value) {
        (Segment::Name(name), Value::Tuple(members)) => {
            let (_, member) = members.iter().find(|(found, _)| found == name)?;
            walk(member, rest, given, places, steps, found)
        }
        (Segment::Index(index), Value::List(list)) => {
            walk(list.get(place(*index, list.len())?)?, rest, given, places, steps, found)
        }
        (Segment::Slice(from, to), Value::List(list)) => {
            let (from, to) = range(*from, *to, list.len());
            if let Some((place, given)) = given.split_first() {
                let member = list.get(from.checked_add(*place).filter(|place| *place < to)?)?;
                return walk(member, rest, given, places, steps, found);
            }
            for (place, member) in list.get(from..to)?.iter().enumerate() {
                places.push(place);
                walk(member, rest, &[], places, steps, found)?;
                places.pop();
            }
            Some(())
        }
        (Segment::Slice(from, to), value) if rest.is_empty() => {
            let bytes = value.bytes()?;
            let (from, to) = range(*from, *to, bytes.len());
            *steps = steps.checked_sub(bytes.len() / 32)?;
            found.push(Found { value: Value::Bytes(bytes.get(from..to)?.to_vec()), places: places.clone() });
            Some(())
        }
        _ => None,
    }
}

/// From the end where it is negative.
fn place(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

fn range(from: Option<i64>, to: Option<i64>, length: usize) -> (usize, usize) {
    let clamp = |index: Option<i64>, default: usize| match index {
        None => default,
        Some(index) => place(index, length).unwrap_or(0).min(length),
    };
    let to = clamp(to, length);
    (clamp(from, 0).min(to), to)
}
