//! The tokens of an expression.

use std::ops::Range;

use super::Flaw;

/// A token, borrowed from the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Number(f64),
    /// A name of letters, digits and `_`.
    Name(&'t str),
    /// A name in braces.
    Braced(&'t str),
    /// A component after a name, including the point: `.x`, `.y` or `.z`.
    Component(&'t str),
    Symbol(&'static str),
    End,
}

/// All symbols. Symbols of two characters come first.
const SYMBOLS: [&str; 17] =
    ["<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "^", "<", ">", "!", "(", ")", ","];

/// Splits a string into tokens with their byte ranges. The last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, Flaw> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let (token, length) = match first {
            '.' if is_component(&text[start..]) => (Token::Component(&text[start..start + 2]), 2),
            '0'..='9' | '.' => number(text, start)?,
            '{' => braced(text, start)?,
            c if starts_name(c) => {
                let rest = &text[start..];
                let length = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
                (Token::Name(&rest[..length]), length)
            }
            _ => symbol(text, start, first)?,
        };
        found.push((token, start..start + length));
        start += length;
    }
    found.push((Token::End, text.len()..text.len()));
    Ok(found)
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns true if a string that begins with a point begins with an array component, such as `.x`.
fn is_component(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    matches!(characters.next(), Some('x' | 'y' | 'z')) && !characters.next().is_some_and(in_name)
}

/// Scans a number: digits, at most one point, and an exponent if digits follow the `e`.
fn number(text: &str, start: usize) -> Result<(Token<'_>, usize), Flaw> {
    let bytes = &text.as_bytes()[start..];
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut length = whole;
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if whole == 0 && length == 1 {
        let (what, remedy) = (
            "`.` without digits",
            "put names with special characters in braces, such as {lh.curv}",
        );
        return Err(Flaw::new(text, start..start + 1, what, remedy));
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let written = &text[start..start + length];
    match written.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((Token::Number(value), length)),
        _ => Err(Flaw::new(text, start..start + length, "this number is too large", "")),
    }
}

fn braced(text: &str, start: usize) -> Result<(Token<'_>, usize), Flaw> {
    let inner = &text[start + 1..];
    let Some(length) = inner.find('}') else {
        return Err(Flaw::new(text, start..start + 1, "`{` is never closed", "add the `}`"));
    };
    if inner[..length].trim().is_empty() {
        let remedy = "write the name of a data array between the braces";
        return Err(Flaw::new(text, start..start + length + 2, "no name in braces", remedy));
    }
    Ok((Token::Braced(&inner[..length]), length + 2))
}

fn symbol(text: &str, start: usize, first: char) -> Result<(Token<'_>, usize), Flaw> {
    let rest = &text[start..];
    let flaw = |what: String, length: usize, remedy: &str| {
        Err(Flaw::new(text, start..start + length, what, remedy))
    };
    // Operators of other languages.
    for (habit, remedy) in [("**", "write powers as x^2"), ("=>", "did you mean `>=`?")] {
        if rest.starts_with(habit) {
            return flaw(format!("unknown operator `{habit}`"), habit.len(), remedy);
        }
    }
    if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
        return Ok((Token::Symbol(symbol), symbol.len()));
    }
    let remedy = match first {
        '=' => "write comparisons as `==`",
        '&' => "write \"and\" as `&&`",
        '|' => "write \"or\" as `||`",
        '[' | ']' | '}' => "use ( ) for groups and { } for array names",
        '%' => "write the remainder as a - b*floor(a/b)",
        '"' | '\'' => "write array names without quotes or in { }",
        _ => "allowed: numbers, names, + - * / ^ < <= > >= == != && || ! ( ) , { }",
    };
    flaw(format!("unexpected `{}`", first.escape_debug()), first.len_utf8(), remedy)
}
