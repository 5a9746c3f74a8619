//! The parser of expressions: recursive descent, with precedence levels for binary operators.
//!
//! The operators from weakest to strongest are `||`, `&&`, comparisons (which do not chain), `+ -`,
//! `* /`, the prefixes `- + !`, and `^`. The right side of `^` may have a prefix, and `^`
//! associates to the right.

use std::ops::Range;

use super::Flaw;
use super::syntax_tree::{Binary, Node, Unary, Variable};
use super::token::{Token, tokens};
use crate::words::suggest;

/// The largest length of an expression in bytes.
const LONGEST: usize = 16_384;

/// The largest depth of a tree, and of nested parentheses, prefixes, exponents and arguments in an
/// expression. It limits the recursion of functions that walk a tree.
const DEEPEST: usize = 256;

/// The precedence of the comparisons.
const COMPARISON: u8 = 3;

/// The implementation of a function.
#[derive(Clone, Copy)]
enum Function {
    One(Unary),
    Two(Binary),
    /// A function of two or more arguments.
    Several(Binary),
    If,
}

const FUNCTIONS: [(&str, Function); 18] = [
    ("if", Function::If),
    ("min", Function::Several(Binary::Min)),
    ("max", Function::Several(Binary::Max)),
    ("abs", Function::One(Unary::Abs)),
    ("sqrt", Function::One(Unary::Sqrt)),
    ("exp", Function::One(Unary::Exp)),
    ("log", Function::One(Unary::Log)),
    ("sin", Function::One(Unary::Sin)),
    ("cos", Function::One(Unary::Cos)),
    ("tan", Function::One(Unary::Tan)),
    ("asin", Function::One(Unary::Asin)),
    ("acos", Function::One(Unary::Acos)),
    ("atan2", Function::Two(Binary::Atan2)),
    ("tanh", Function::One(Unary::Tanh)),
    ("floor", Function::One(Unary::Floor)),
    ("sign", Function::One(Unary::Sign)),
    ("step", Function::One(Unary::Step)),
    ("isnan", Function::One(Unary::IsNan)),
];

fn function(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

/// Returns the precedence and meaning of a binary operator, or `None` for any other symbol.
fn operator(symbol: &str) -> Option<(u8, Binary)> {
    Some(match symbol {
        "||" => (1, Binary::Or),
        "&&" => (2, Binary::And),
        "<" => (COMPARISON, Binary::Less),
        "<=" => (COMPARISON, Binary::LessEqual),
        ">" => (COMPARISON, Binary::Greater),
        ">=" => (COMPARISON, Binary::GreaterEqual),
        "==" => (COMPARISON, Binary::Equal),
        "!=" => (COMPARISON, Binary::NotEqual),
        "+" => (4, Binary::Add),
        "-" => (4, Binary::Subtract),
        "*" => (5, Binary::Multiply),
        "/" => (5, Binary::Divide),
        _ => return None,
    })
}

/// Parses a complete expression.
pub(super) fn parse(text: &str) -> Result<Node, Flaw> {
    parse_noting(text, None).map(|(node, _)| node)
}

/// Returns the subexpressions of a valid expression with their spans. Inner subexpressions come
/// before outer ones.
pub(super) fn parts(text: &str) -> Vec<(Range<usize>, Node)> {
    parse_noting(text, Some(Vec::new())).map_or(Vec::new(), |(_, parts)| parts)
}

/// Returns all flaws that can be found in an expression, including those after an unknown function
/// or a wrong number of arguments. The first flaw is the error that [`parse`] returns.
pub(super) fn flaws(text: &str) -> Vec<Flaw> {
    let Err(first) = parse(text) else { return Vec::new() };
    let is_parsed = text.len() <= LONGEST && !text.trim().is_empty();
    let tokens = if is_parsed { tokens(text).ok() } else { None };
    let Some(tokens) = tokens else { return vec![first] };
    let mut parser = Parser { tolerated: Some(Vec::new()), ..Parser::new(text, tokens, None) };
    let whole = parser.whole();
    let mut flaws = parser.tolerated.unwrap_or_default();
    flaws.extend(whole.err());
    if flaws.is_empty() { vec![first] } else { flaws }
}

/// The byte range of a subexpression in the text, and its tree.
type Part = (Range<usize>, Node);

/// Parses an expression and appends its subexpressions to `noted`, unless it is `None`.
fn parse_noting(text: &str, noted: Option<Vec<Part>>) -> Result<(Node, Vec<Part>), Flaw> {
    if text.len() > LONGEST {
        let what = format!("the expression is {} bytes long, the limit is {LONGEST}", text.len());
        return Err(Flaw::new(text, 0..1, what, "store the values in a data array"));
    }
    if text.trim().is_empty() {
        let what = "the expression is empty";
        return Err(Flaw::new(text, 0..0, what, "write a number or a formula, such as 1 + x^2"));
    }
    let mut parser = Parser::new(text, tokens(text)?, noted);
    let node = parser.whole()?;
    Ok((node, parser.noted.unwrap_or_default()))
}

/// A tree and its number of levels.
struct Built {
    node: Node,
    levels: usize,
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token<'t>, Range<usize>)>,
    next: usize,
    /// The current depth of calls of [`Parser::nest`].
    nested: usize,
    /// The subexpressions so far, if requested.
    noted: Option<Vec<Part>>,
    /// The flaws after which the parser continued. If this is `None`, the parser stops at the first
    /// flaw.
    tolerated: Option<Vec<Flaw>>,
}

impl<'t> Parser<'t> {
    fn new(
        text: &'t str,
        tokens: Vec<(Token<'t>, Range<usize>)>,
        noted: Option<Vec<Part>>,
    ) -> Self {
        Parser { text, tokens, next: 0, nested: 0, noted, tolerated: None }
    }

    /// Parses the whole text.
    fn whole(&mut self) -> Result<Node, Flaw> {
        let Built { node, .. } = self.binary(1)?;
        match self.peek() {
            Token::End => Ok(node),
            Token::Symbol(")") => {
                Err(self.flaw("this `)` has no matching `(`", "remove it, or add a `(`"))
            }
            _ => Err(self.no_operator("an operator or the end")),
        }
    }

    /// Stops at a flaw, or records it and returns a value with which parsing continues.
    fn tolerate(&mut self, flaw: Flaw) -> Result<Built, Flaw> {
        match &mut self.tolerated {
            None => Err(flaw),
            Some(noted) => {
                noted.push(flaw);
                Ok(Built { node: Node::Variable(Variable::X), levels: 1 })
            }
        }
    }

    fn peek(&self) -> Token<'t> {
        self.tokens.get(self.next).map_or(Token::End, |(token, _)| *token)
    }

    /// Returns the byte range of the next token.
    fn span(&self) -> Range<usize> {
        let end = self.text.len();
        self.tokens.get(self.next).map_or(end..end, |(_, span)| span.clone())
    }

    /// Consumes the symbol if it is next. Returns true if it was.
    fn take(&mut self, symbol: &'static str) -> bool {
        let is_next = self.peek() == Token::Symbol(symbol);
        self.next += usize::from(is_next);
        is_next
    }

    /// Creates a flaw at the next token.
    fn flaw(&self, what: impl Into<String>, remedy: impl Into<String>) -> Flaw {
        Flaw::new(self.text, self.span(), what, remedy)
    }

    /// Returns the next token as messages name it.
    fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end".into(),
            _ => format!("`{}`", &self.text[self.span()]),
        }
    }

    /// Creates the flaw for a value that is not followed by an operator.
    fn no_operator(&self, expected: &str) -> Flaw {
        let found = self.found();
        let before = self.next.checked_sub(1).and_then(|k| self.tokens.get(k));
        let remedy = match (before, self.peek()) {
            (Some((Token::Number(_), number)), Token::Name(name)) => {
                format!("write a product as {}*{name}", &self.text[number.clone()])
            }
            (Some((Token::Number(_), number)), Token::Symbol("(")) => {
                format!("write a product as {}*(...)", &self.text[number.clone()])
            }
            (Some((Token::Name(name), _)), Token::Number(_)) => {
                format!(
                    "names with characters other than letters, digits and _ must be in braces: {{{name}...}}"
                )
            }
            _ => "operators: + - * / ^ < <= > >= == != && ||".into(),
        };
        self.flaw(format!("expected {expected}, found {found}"), remedy)
    }

    /// Records the subexpression from byte `start` to the last consumed token, if subexpressions
    /// are requested.
    fn note(&mut self, start: usize, built: Built) -> Built {
        if let Some(noted) = &mut self.noted {
            let before = self.next.checked_sub(1).and_then(|k| self.tokens.get(k));
            let end = before.map_or(start, |(_, span)| span.end);
            noted.push((start..end, built.node.clone()));
        }
        built
    }

    /// Enters one more level of parentheses, prefixes, exponents or arguments.
    fn nest<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, Flaw>) -> Result<T, Flaw> {
        if self.nested == DEEPEST {
            return Err(self.flaw(format!("nested more than {DEEPEST} levels deep"), ""));
        }
        self.nested += 1;
        let result = f(self);
        self.nested -= 1;
        result
    }

    /// Creates a node from operands with at most `levels` levels. Returns a flaw if the node would
    /// have too many levels.
    fn built(&self, node: Node, levels: usize) -> Result<Built, Flaw> {
        match node.folded() {
            node @ Node::Number(_) => Ok(Built { node, levels: 1 }),
            _ if levels == DEEPEST => Err(self.flaw(
                format!("more than {DEEPEST} operators in a row or nested"),
                "group long sums with parentheses: (a + b) + (c + d)",
            )),
            node => Ok(Built { node, levels: levels + 1 }),
        }
    }

    fn unary_node(&self, op: Unary, a: Built) -> Result<Built, Flaw> {
        self.built(Node::Unary(op, Box::new(a.node)), a.levels)
    }

    fn binary_node(&self, op: Binary, a: Built, b: Built) -> Result<Built, Flaw> {
        let levels = a.levels.max(b.levels);
        self.built(Node::Binary(op, Box::new(a.node), Box::new(b.node)), levels)
    }

    /// Parses operands joined by operators of at least this precedence.
    fn binary(&mut self, lowest: u8) -> Result<Built, Flaw> {
        let start = self.span().start;
        let mut left = self.prefixed()?;
        let mut compared = false;
        while let Token::Symbol(symbol) = self.peek()
            && let Some((precedence, op)) = operator(symbol)
            && precedence >= lowest
        {
            if precedence == COMPARISON && compared {
                return Err(self.flaw("comparisons do not chain", "write a < b && b < c"));
            }
            compared = precedence == COMPARISON;
            self.next += 1;
            let right = self.binary(precedence + 1)?;
            left = self.binary_node(op, left, right)?;
            left = self.note(start, left);
        }
        Ok(left)
    }

    /// Parses prefixes and their operand.
    fn prefixed(&mut self) -> Result<Built, Flaw> {
        let op = match self.peek() {
            Token::Symbol("-") => Some(Unary::Negate),
            Token::Symbol("!") => Some(Unary::Not),
            Token::Symbol("+") => None,
            _ => return self.power(),
        };
        let start = self.span().start;
        self.next += 1;
        let operand = self.nest(Self::prefixed)?;
        let built = match op {
            Some(op) => self.unary_node(op, operand)?,
            None => operand,
        };
        Ok(self.note(start, built))
    }

    fn power(&mut self) -> Result<Built, Flaw> {
        let start = self.span().start;
        let base = self.primary()?;
        if !self.take("^") {
            return Ok(base);
        }
        let exponent = self.nest(Self::prefixed)?;
        let built = self.binary_node(Binary::Power, base, exponent)?;
        Ok(self.note(start, built))
    }

    fn primary(&mut self) -> Result<Built, Flaw> {
        let span = self.span();
        let node = match self.peek() {
            Token::Number(value) => Node::Number(value),
            Token::Braced(name) => return Ok(self.array(name)),
            Token::Name(name) => return self.named(name),
            Token::Symbol("(") => {
                self.next += 1;
                let inner = self.nest(|p| p.binary(1))?;
                self.close(&span)?;
                return Ok(inner);
            }
            _ => {
                let remedy = match self.peek() {
                    Token::Symbol(")") if self.next == 0 => "remove it, or add a `(`",
                    _ => "write a number, a name, a function or `(` here",
                };
                return Err(self.flaw(format!("expected a value, found {}", self.found()), remedy));
            }
        };
        self.next += 1;
        Ok(Built { node, levels: 1 })
    }

    /// Consumes the `)` that matches the `(` at `opened`.
    fn close(&mut self, opened: &Range<usize>) -> Result<(), Flaw> {
        if self.take(")") {
            return Ok(());
        }
        if self.peek() == Token::End {
            return Err(Flaw::new(
                self.text,
                opened.clone(),
                "this `(` is never closed",
                "add a `)`",
            ));
        }
        Err(match self.peek() {
            Token::Symbol(",") => self.flaw(
                "expected `)`, found `,`",
                "commas separate the arguments of a function; write decimals with a point",
            ),
            _ => self.no_operator("an operator or `)`"),
        })
    }

    /// Parses a variable, pi, a function with its arguments, or an array.
    fn named(&mut self, name: &str) -> Result<Built, Flaw> {
        let called = matches!(self.tokens.get(self.next + 1), Some((Token::Symbol("("), _)));
        let node = match (function(name), called) {
            (Some(function), true) => return self.call(name, function),
            (None, true) => {
                let names: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
                let flaw = self.flaw(format!("unknown function `{name}`"), suggest(name, &names));
                let value = self.tolerate(flaw)?;
                self.arguments()?;
                return Ok(value);
            }
            (Some(_), false) => {
                return Err(self.flaw(
                    format!("the function `{name}` has no arguments"),
                    format!("write {name}(...), or {{{name}}} for an array of that name"),
                ));
            }
            (None, false) => match name {
                "x" => Node::Variable(Variable::X),
                "y" => Node::Variable(Variable::Y),
                "z" => Node::Variable(Variable::Z),
                "t" => Node::Variable(Variable::T),
                "pi" => Node::Number(std::f64::consts::PI),
                _ => return Ok(self.array(name)),
            },
        };
        self.next += 1;
        Ok(Built { node, levels: 1 })
    }

    /// Consumes the name of an array and the component that may follow it.
    fn array(&mut self, name: &str) -> Built {
        let (mut name, mut span) = (name.to_string(), self.span());
        self.next += 1;
        if let Token::Component(axis) = self.peek() {
            name += axis;
            span.end = self.span().end;
            self.next += 1;
        }
        Built { node: Node::Array { name, span }, levels: 1 }
    }

    /// Consumes the name of a function and its arguments.
    fn arguments(&mut self) -> Result<Vec<Built>, Flaw> {
        self.next += 1;
        let opened = self.span();
        self.next += 1;
        let mut arguments = Vec::new();
        if self.peek() != Token::Symbol(")") {
            arguments.push(self.nest(|p| p.binary(1))?);
            while self.take(",") {
                arguments.push(self.nest(|p| p.binary(1))?);
            }
        }
        self.close(&opened)?;
        Ok(arguments)
    }

    fn call(&mut self, name: &str, function: Function) -> Result<Built, Flaw> {
        let start = self.span().start;
        let arguments = self.arguments()?;
        let mut rest = arguments.into_iter();
        let (count, expected) = (
            rest.len(),
            match function {
                Function::One(_) => "1 argument",
                Function::Two(_) => "2 arguments",
                Function::Several(_) => "2 or more arguments",
                Function::If => "3 arguments: if(condition, then, else)",
            },
        );
        let built = match (function, rest.next(), rest.next(), rest.next()) {
            (Function::One(op), Some(a), None, _) => self.unary_node(op, a)?,
            (Function::Two(op), Some(a), Some(b), None) => self.binary_node(op, a, b)?,
            (Function::Several(op), Some(a), Some(b), c) => {
                let first = self.binary_node(op, a, b)?;
                let mut rest = c.into_iter().chain(rest);
                rest.try_fold(first, |left, x| self.binary_node(op, left, x))?
            }
            (Function::If, Some(c), Some(a), Some(b)) if count == 3 => {
                let levels = c.levels.max(a.levels).max(b.levels);
                self.built(Node::If(Box::new([c.node, a.node, b.node])), levels)?
            }
            _ => {
                let end = self.tokens.get(self.next - 1).map_or(start, |(_, span)| span.end);
                let what = format!("`{name}` takes {expected}, found {count}");
                return self.tolerate(Flaw::new(self.text, start..end, what, ""));
            }
        };
        Ok(self.note(start, built))
    }
}
