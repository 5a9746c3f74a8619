//! Tests of the grammar, of messages with carets, and of the compiled program against the tree.

use std::sync::Arc;

use proptest::prelude::*;

use super::enclosure::Enclosure;
use super::*;
use crate::error::Error;

fn parse(text: &str) -> Expression {
    Expression::parse(text).unwrap_or_else(|flaw| panic!("{flaw}"))
}

/// Returns the value at the point (2, 3, 5) and time 7, with a = 11 and `odd name` = 13.
fn at_point(text: &str) -> f64 {
    let mut array = |name: &str| if name == "a" { 11.0 } else { 13.0 };
    parse(text).tree().value([2.0, 3.0, 5.0], 7.0, &mut array)
}

#[test]
fn the_grammar_says_what_a_text_means() {
    for (text, expected) in [
        // Numbers.
        ("1", 1.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e-3", 1e-3),
        ("2.5E+2", 250.0),
        (" 1\t+\n1 ", 2.0),
        // Precedence.
        ("1+2*3", 7.0),
        ("(1+2)*3", 9.0),
        ("8-3-2", 3.0),
        ("8/4/2", 1.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("2^-x^2", 0.0625),
        ("--2", 2.0),
        ("2*-3", -6.0),
        ("+x", 2.0),
        ("-x*y", -6.0),
        ("1 < 2 == 1", f64::NAN),
        ("(1 < 2) == 1", 1.0),
        ("1+1 < 3", 1.0),
        ("1 || 0 && 0", 1.0),
        ("(1 || 0) && 0", 0.0),
        ("x < y && y < z", 1.0),
        ("!x == 0", 1.0),
        ("!0 + 1", 2.0),
        ("!(x > 1) || y >= 3", 1.0),
        // Comparisons and logic.
        ("2 <= 2", 1.0),
        ("2 < 2", 0.0),
        ("2 >= 3", 0.0),
        ("2 != 3", 1.0),
        ("5 && -1", 1.0),
        // Names.
        ("x + 10*y + 100*z + 1000*t", 7532.0),
        ("a + {odd name}", 24.0),
        ("{a}", 11.0),
        ("{x}", 13.0),
        ("pi", std::f64::consts::PI),
        // Functions.
        ("if(x > 1, y, z)", 3.0),
        ("if(x < 1, y, z)", 5.0),
        ("min(3, 1, 2)", 1.0),
        ("max(3, 1, 2, 9)", 9.0),
        ("abs(-3)", 3.0),
        ("sqrt(9)", 3.0),
        ("exp(0)", 1.0),
        ("log(exp(2))", 2.0),
        ("sin(0) + cos(0) + tan(0)", 1.0),
        ("asin(1)*2 - pi", 0.0),
        ("acos(1)", 0.0),
        ("atan2(1, -1)", 0.75 * std::f64::consts::PI),
        ("tanh(0)", 0.0),
        ("floor(-1.5)", -2.0),
        ("sign(-3) + 10*sign(0) + 100*sign(4)", 99.0),
        ("step(-1) + 10*step(0) + 100*step(2)", 110.0),
        // Powers computed by multiplications and by libm.
        ("x^0", 1.0),
        ("x^10", 1024.0),
        ("x^-3", 0.125),
        ("x^0.5", std::f64::consts::SQRT_2),
        ("x^17", 131072.0),
    ] {
        if expected.is_nan() {
            assert!(Expression::parse(text).is_err(), "{text}");
        } else {
            assert_eq!(at_point(text), expected, "{text}");
        }
    }
    assert!(at_point("min(x, 0/0)").is_nan() && at_point("max(0/0, x)").is_nan());
    assert!(at_point("sign(0/0)").is_nan());
    assert_eq!(at_point("1.1^3"), 1.1 * (1.1 * 1.1));
}

/// Returns the value of an expression in which the array `none` has no value and all other arrays
/// have the value 3.
fn without_value(text: &str) -> f64 {
    let array = |name: &str| if name == "none" { f64::NAN } else { 3.0 };
    parse(text).tree().value([2.0, 3.0, 5.0], 7.0, &mut { array })
}

#[test]
fn nan_means_no_value() {
    for symbol in ["<", "<=", ">", ">=", "==", "!="] {
        for text in [format!("none {symbol} b"), format!("b {symbol} none")] {
            assert_eq!(without_value(&text), 0.0, "{text}");
        }
        assert_eq!(without_value(&format!("none {symbol} none")), 0.0, "{symbol}");
    }
    for (text, expected) in [
        ("isnan(none) + 10*isnan(b) + 100*isnan(0/0)", 101.0),
        ("isnan(none + b)", 1.0),
        ("none && b", 0.0),
        ("none || b", 1.0),
        ("none || none", 0.0),
        ("!none", 1.0),
        ("if(none, 1, 2)", 2.0),
        ("if(isnan(none), b, none)", 3.0),
        ("b != 4", 1.0),
        ("b != 3", 0.0),
        ("step(none)", 0.0),
    ] {
        assert_eq!(without_value(text), expected, "{text}");
    }
    assert!(without_value("none + b").is_nan() && without_value("min(b, none)").is_nan());
}

#[test]
fn the_array_that_lacks_a_number_is_found() {
    let found = |text: &str| {
        let mut array = |name: &str| if name.starts_with("none") { f64::NAN } else { 3.0 };
        let expression = parse(text);
        let found = expression.tree().array_at_fault([2.0, 3.0, 5.0], 7.0, &mut array);
        let found = found.map(|(name, span)| (name.to_string(), span));
        if let Some((_, span)) = &found {
            let flaw = expression.flaw_at([2.0, 3.0, 5.0], 7.0, &mut array, "", "");
            assert_eq!(flaw.span(), *span, "{text}");
        }
        found.map(|(name, span)| format!("{name} {}", &text[span]))
    };
    for (text, expected) in [
        ("none", Some("none none")),
        ("b + none*2", Some("none none")),
        ("1 + {none b} + none", Some("none b {none b}")),
        ("if(none > 0, 1, none2)", Some("none2 none2")),
        ("if(isnan(none), b, none)", None),
        ("log(-b) + none", Some("none none")),
        ("log(-b)", None),
        ("1/(b - 3)", None),
        ("none.x", Some("none.x none.x")),
        ("{none}.y", Some("none.y {none}.y")),
    ] {
        assert_eq!(found(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn components_follow_a_name() {
    let expression = parse("U.x + {mean flow}.y*2 + U.x - {U.z}");
    assert_eq!(expression.names(), ["U.x", "mean flow.y", "U.z"]);
    let point = |text: &str| Expression::parse(text).unwrap_err().to_string();
    assert!(
        point("x.y").contains("expected an operator or the end, found `.y`"),
        "{}",
        point("x.y")
    );
    assert!(point("lh.curv").contains("put names with special characters in braces"));
    assert!(point("U.xyz").contains("put names with special characters in braces"));
    assert!(point(".x").contains("expected a value, found `.x`"));
    assert_eq!(parse("2.*3").constant(), Some(6.0));
}

#[test]
fn constants_are_folded_and_facts_are_known() {
    assert_eq!(parse("2*pi/4 + min(1, 2)").constant(), Some(std::f64::consts::FRAC_PI_2 + 1.0));
    assert_eq!(parse("0*x").constant(), None);
    assert!(matches!(parse("x*(1 + 2)").tree(), Node::Binary(Binary::Multiply, _, three)
        if **three == Node::Number(3.0)));
    let expression = parse("b*a + {c d}*b + x*pi");
    assert_eq!(expression.names(), ["b", "a", "c d"]);
    assert!(!expression.uses_time() && parse("if(0, 1, t)*x").uses_time());
    assert_eq!(expression.to_string(), "b*a + {c d}*b + x*pi");
    let json = serde_json::to_string(&expression).unwrap();
    assert_eq!(serde_json::from_str::<Expression>(&json).unwrap(), expression);
    let message = serde_json::from_str::<Expression>("\"1+\"").unwrap_err().to_string();
    assert!(message.contains("    | 1+\n    |   ^"), "{message}");
}

#[test]
fn flaws_point_into_the_text() {
    for (text, what, carets) in [
        ("", "the expression is empty", "^"),
        ("  ", "write a number or a formula", "^"),
        ("1 +", "expected a value, found the end", "   ^"),
        ("1 + * 2", "expected a value, found `*`", "    ^"),
        ("(x + 1", "this `(` is never closed; add a `)`", "^"),
        ("2*(x + (y)", "this `(` is never closed", "  ^"),
        ("x + 1)", "this `)` has no matching `(`", "     ^"),
        ("()", "expected a value, found `)`", " ^"),
        ("sin(", "expected a value, found the end", "    ^"),
        ("2x", "expected an operator or the end, found `x`; write a product as 2*x", " ^"),
        ("2(x)", "write a product as 2*(...)", " ^"),
        ("x y", "expected an operator or the end, found `y`; operators: +", "  ^"),
        ("(x y)", "expected an operator or `)`, found `y`", "   ^"),
        ("1.2.3", "found `.3`", "   ^^"),
        ("(1,5)", "write decimals with a point", "  ^"),
        ("1e999", "too large", "^^^^^"),
        ("1 + squrt(x)", "unknown function `squrt`; did you mean `sqrt`?", "    ^^^^^"),
        ("f(x)", "allowed: if, min, max, abs", "^"),
        ("1 + sin", "`sin` has no arguments; write sin(...), or {sin}", "    ^^^"),
        ("sin(x, y)", "`sin` takes 1 argument, found 2", "^^^^^^^^^"),
        (
            "1 + if(x, 1)",
            "`if` takes 3 arguments: if(condition, then, else), found 2",
            "    ^^^^^^^^",
        ),
        ("if(1, 2, 3, 4)", "found 4", "^^^^^^^^^^^^^^"),
        ("max(x)", "`max` takes 2 or more arguments, found 1", "^^^^^^"),
        ("atan2()", "`atan2` takes 2 arguments, found 0", "^^^^^^^"),
        ("0 < x < 1", "comparisons do not chain; write a < b && b < c", "      ^"),
        ("x = 1", "write comparisons as `==`", "  ^"),
        ("x & y", "`&&`", "  ^"),
        ("x**2", "write powers as x^2", " ^^"),
        ("x => 2", "did you mean `>=`?", "  ^^"),
        ("lh.curv", "put names with special characters in braces, such as {lh.curv}", "  ^"),
        ("{lh.curv", "`{` is never closed", "^"),
        ("{ }", "no name in braces", "^^^"),
        ("größe + #", "unexpected `#`", "        ^"),
        ("[1]", "use ( ) for groups and { } for array names", "^"),
    ] {
        let message = Expression::parse(text).map(|e| e.tree).unwrap_err().to_string();
        assert!(message.contains(what), "{text}: {message}");
        let expected = format!("\n    | {}\n    | {carets}", text);
        assert!(message.ends_with(&expected), "{text}: {message}");
    }
}

#[test]
fn long_and_deep_texts_are_refused_in_one_window() {
    let deep = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(parse(&deep(256)).tree(), parse("x").tree());
    for text in [
        deep(257),
        deep(5000),
        "-".repeat(9000) + "x",
        "x^".repeat(5000) + "x",
        "sin(".repeat(300) + "x" + &")".repeat(300),
        vec!["x"; 300].join("+"),
        vec!["x"; 300].join("^"),
    ] {
        let flaw = Expression::parse(&text).unwrap_err();
        assert!(flaw.what().contains("more than 256"), "{}", flaw.what());
        let message = flaw.to_string();
        let lines: Vec<&str> = message.lines().collect();
        let caret = lines[2].find('^').unwrap();
        assert!(lines[1].starts_with("    | ...") && caret <= lines[1].len(), "{message}");
        assert!(lines[1].len() < 90, "{message}");
    }
    assert_eq!(parse(&vec!["1"; 5000].join("+")).constant(), Some(5000.0));
    let flaw = Expression::parse(&"x+".repeat(9000)).unwrap_err();
    assert!(flaw.what().contains("18000 bytes long, the limit is 16384"));
}

#[test]
fn binding_points_at_arrays_that_are_missing_or_of_another_size() {
    let rows = |n: usize| Ok(Arc::from(vec![1.0; n]));
    let missing = Field::bind(&parse("1 + 2*curve"), |name| {
        assert_eq!(name, "curve");
        Err(Error::usage("there is no vertex array \"curve\"", "there are: curv"))
    });
    assert_eq!(
        missing.unwrap_err().to_string(),
        "there is no vertex array \"curve\"; there are: curv\n    | 1 + 2*curve\n    |       ^^^^^"
    );
    let sizes = Field::bind(&parse("a*{b}"), |name| rows(if name == "a" { 3 } else { 4 }));
    let message = sizes.unwrap_err().to_string();
    assert!(message.starts_with("4 rows, but `a` has 3"), "{message}");
    assert!(message.ends_with("\n    | a*{b}\n    |   ^^^"), "{message}");
}

#[test]
fn rows_are_independent_of_blocks_and_follow_an_order() {
    let n = 1000;
    let points: Vec<[f64; 3]> =
        (0..n).map(|i| [i as f64 * 0.37 - 5.0, (i % 17) as f64, 1.0 / (1 + i) as f64]).collect();
    let a: Arc<[f64]> = (0..n).map(|i| (i * i % 101) as f64 - 50.0).collect();
    let expression = parse("if(a > 0, sin(x)*y + a^3, exp(-abs(a)/9)) - max(z, t, 0.1)");
    let field = Field::bind(&expression, |_| Ok(a.clone())).unwrap();
    assert!(field.uses_time());
    let all = field.values(&points, 0.25);
    for (i, value) in all.iter().enumerate() {
        let direct = expression.tree().value(points[i], 0.25, &mut |_| a[i]);
        assert_eq!(value.to_bits(), direct.to_bits(), "row {i}");
    }
    for (start, end) in [(0, 1), (0, 256), (1, 258), (255, 257), (300, 999), (7, 7), (511, 1000)] {
        let mut out = vec![0.0; end - start];
        field.evaluate_into(&points, start..end, 0.25, &mut out);
        assert_eq!(out, all[start..end]);
    }
    let order: Vec<u32> = (0..n as u32).rev().collect();
    let turned: Vec<[f64; 3]> = points.iter().rev().copied().collect();
    let mut reversed = field.reordered(&order).values(&turned, 0.25);
    reversed.reverse();
    assert_eq!(reversed, all);
    assert_eq!(Field::constant(2.5).values(&points[..3], 1.0), [2.5; 3]);
    assert_eq!(
        Field::bind(&parse("t^2"), |_| Ok(a.clone())).unwrap().values(&points[..2], 3.0),
        [9.0; 2]
    );
}

#[test]
fn a_lattice_knows_what_it_depends_on_and_takes_no_arrays() {
    let bind = |texts: &[&str]| {
        Lattice::bind(&texts.iter().map(|text| parse(text)).collect::<Vec<Expression>>())
    };
    for (texts, mask, in_time) in [
        (vec!["2*pi"], [false; 3], false),
        (vec!["cos(t)"], [false; 3], true),
        (vec!["0*y"], [false, true, false], false),
        (vec!["if(x > 0, t, 1)", "z^2"], [true, false, true], true),
        (vec![], [false; 3], false),
    ] {
        let lattice = bind(&texts).unwrap();
        assert_eq!((lattice.mask(), lattice.varies_in_time()), (mask, in_time), "{texts:?}");
    }
    let mut nothing: [f64; 0] = [];
    bind(&["x", "y"]).unwrap().evaluate_into([&[], &[1.0], &[1.0, 2.0]], 0.0, &mut nothing);
    assert_eq!(
        bind(&["x", "1 + 2*{lh curv}"]).unwrap_err().to_string(),
        "data array \"lh curv\" is not available: only meshes have data arrays; on a grid, use a \
         formula in x, y, z and t\n    | 1 + 2*{lh curv}\n    |       ^^^^^^^^^"
    );
    for value in [0.1, -2.5, 1e-30, 1e300, -0.0] {
        let number = Expression::from(value);
        assert_eq!(number.constant().unwrap().to_bits(), f64::to_bits(value));
        assert_eq!(parse(number.text()).constant().unwrap().to_bits(), f64::to_bits(value));
    }
}

/// Generates pairs of an expression with parentheses around every operation and the tree of this
/// text before folding. Both may contain the data arrays `a` and `b c` if `arrays` is true.
fn tree(arrays: bool) -> impl Strategy<Value = (String, Node)> {
    let array = |name: &str| Node::Array { name: name.into(), span: 0..0 };
    let rows = prop_oneof![
        Just(("a".to_string(), array("a"))),
        Just(("{b c}".to_string(), array("b c"))),
    ];
    let place = prop_oneof![
        (-4i32..40).prop_map(|n| {
            let value = f64::from(n) / 8.0;
            (format!("({value})"), Node::Number(value))
        }),
        Just(("x".into(), Node::Variable(Variable::X))),
        Just(("y".into(), Node::Variable(Variable::Y))),
        Just(("z".into(), Node::Variable(Variable::Z))),
        Just(("t".into(), Node::Variable(Variable::T))),
    ];
    let leaf = if arrays { prop_oneof![5 => place, 2 => rows].boxed() } else { place.boxed() };
    const UNARY: [(&str, Unary); 16] = [
        ("-", Unary::Negate),
        ("!", Unary::Not),
        ("abs", Unary::Abs),
        ("sqrt", Unary::Sqrt),
        ("exp", Unary::Exp),
        ("log", Unary::Log),
        ("sin", Unary::Sin),
        ("cos", Unary::Cos),
        ("tan", Unary::Tan),
        ("asin", Unary::Asin),
        ("acos", Unary::Acos),
        ("tanh", Unary::Tanh),
        ("floor", Unary::Floor),
        ("sign", Unary::Sign),
        ("step", Unary::Step),
        ("isnan", Unary::IsNan),
    ];
    const BINARY: [(&str, Binary); 16] = [
        ("+", Binary::Add),
        ("-", Binary::Subtract),
        ("*", Binary::Multiply),
        ("/", Binary::Divide),
        ("^", Binary::Power),
        ("<", Binary::Less),
        ("<=", Binary::LessEqual),
        (">", Binary::Greater),
        (">=", Binary::GreaterEqual),
        ("==", Binary::Equal),
        ("!=", Binary::NotEqual),
        ("&&", Binary::And),
        ("||", Binary::Or),
        ("min", Binary::Min),
        ("max", Binary::Max),
        ("atan2", Binary::Atan2),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        prop_oneof![
            (0..UNARY.len(), inner.clone()).prop_map(|(k, (text, node))| {
                let (name, op) = UNARY[k];
                (format!("({name}({text}))"), Node::Unary(op, Box::new(node)))
            }),
            (0..BINARY.len(), inner.clone(), inner.clone()).prop_map(
                |(k, (a, left), (b, right))| {
                    let (name, op) = BINARY[k];
                    let word = name.starts_with(|c: char| c.is_alphabetic());
                    let text =
                        if word { format!("{name}({a}, {b})") } else { format!("({a}{name}{b})") };
                    (text, Node::Binary(op, Box::new(left), Box::new(right)))
                }
            ),
            (inner.clone(), inner.clone(), inner).prop_map(|((c, x), (a, y), (b, z))| {
                (format!("if({c}, {a}, {b})"), Node::If(Box::new([x, y, z])))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn the_program_gives_the_bits_of_the_tree((text, tree) in tree(true), seed in 0u32..1000, t in -2.0..2.0f64) {
        let n = 300;
        let number = |i: usize, k: usize| {
            ((i * 7919 + k * 104_729 + seed as usize * 31) % 211) as f64 / 16.0 - 6.0
        };
        let points: Vec<[f64; 3]> = (0..n).map(|i| [0, 1, 2].map(|k| number(i, k))).collect();
        let rows = |name: &str| -> Arc<[f64]> {
            let value = |i: usize| number(i, 3 + usize::from(name == "a"));
            (0..n).map(|i| if i % 127 == 0 { f64::NAN } else { value(i) }).collect()
        };
        let (a, b) = (rows("a"), rows("b c"));
        let expression = Expression::parse(&text).unwrap_or_else(|flaw| panic!("{flaw}"));
        let values = Field::bind(&expression, |name| Ok(rows(name))).unwrap().values(&points, t);
        for i in [0, 1, 127, 128, 255, 256, 299] {
            let mut array = |name: &str| if name == "a" { a[i] } else { b[i] };
            let direct = tree.value(points[i], t, &mut array);
            prop_assert!(
                values[i].to_bits() == direct.to_bits() || values[i].is_nan() && direct.is_nan(),
                "{text} at row {i}: {} and {direct}", values[i]
            );
        }
    }

    #[test]
    fn bounds_contain_all_values_of_a_span(
        (text, tree) in tree(true),
        start in -2.0..2.0f64,
        length in 0.0..3.0f64,
        point in [-3.0..3.0f64, -3.0..3.0, -3.0..3.0],
    ) {
        let span = TimeSpan { start, end: start + length };
        // The other array has no value.
        let number = |name: &str| if name == "a" { 0.75 } else { f64::NAN };
        let constant = &mut |name: &str| Enclosure::constant(number(name));
        let bounds = tree.compute(point, Enclosure::of_time(span), constant);
        for k in 0..=20 {
            let value = tree.value(point, span.at(f64::from(k) / 20.0), &mut { number });
            let rounding = 1e-9 * (1.0 + value.abs());
            prop_assert!(
                !value.is_finite()
                    || bounds.low - rounding <= value && value <= bounds.high + rounding,
                "{text}: {value} is outside {bounds:?}"
            );
        }
    }

    #[test]
    fn a_lattice_gives_the_bits_of_a_field_at_its_points(
        texts in prop::collection::vec(tree(false), 1..4),
        lengths in [1usize..9, 1usize..9, 1usize..9],
        seed in 0usize..1000,
        t in -2.0..2.0f64,
    ) {
        let axes = [0, 1, 2].map(|k| -> Vec<f64> {
            (0..lengths[k]).map(|i| ((i * 7919 + k * 104_729 + seed * 31) % 211) as f64 / 16.0 - 6.0).collect()
        });
        let [x, y, z] = &axes;
        let points: Vec<[f64; 3]> = z
            .iter()
            .flat_map(|&z| y.iter().flat_map(move |&y| x.iter().map(move |&x| [x, y, z])))
            .collect();
        let all: Vec<Expression> = texts.iter().map(|(text, _)| parse(text)).collect();
        let lattice = Lattice::bind(&all).unwrap();
        prop_assert_eq!(lattice.components(), all.len());
        let mut wide = vec![0.0f64; all.len() * points.len()];
        let mut narrow = vec![0.0f32; wide.len()];
        // Values left in memory by an earlier call must not matter.
        lattice.evaluate_into([&[0.5], &[-1.0], &[2.0]], 1.0, &mut wide[..all.len()]);
        lattice.evaluate_into([x, y, z], t, &mut wide);
        lattice.evaluate_into([x, y, z], t, &mut narrow);
        let no_arrays = |_: &str| Ok(Arc::from([]));
        let expected: Vec<f64> = all
            .iter()
            .flat_map(|e| Field::bind(e, no_arrays).unwrap().values(&points, t))
            .collect();
        for (k, ((&wide, &narrow), &expected)) in wide.iter().zip(&narrow).zip(&expected).enumerate() {
            prop_assert!(
                wide.to_bits() == expected.to_bits() || wide.is_nan() && expected.is_nan(),
                "{:?} at value {k}: {wide} and {expected}", texts
            );
            let rounded = expected as f32;
            prop_assert!(narrow.to_bits() == rounded.to_bits() || narrow.is_nan() && rounded.is_nan());
        }
    }

    #[test]
    fn any_text_gives_a_result_or_a_flaw(text in ".{0,60}") {
        if let Err(flaw) = Expression::parse(&text) {
            prop_assert!(flaw.span().end <= text.len());
            prop_assert!(flaw.to_string().contains("    | "));
        }
    }

    #[test]
    fn any_words_give_a_result_or_a_flaw(words in prop::collection::vec(0usize..24, 0..60)) {
        const WORDS: [&str; 24] = [
            "(", ")", ")", "x", "sin(", "if(", ",", "+", "-", "*", "^", "<", "&&", "!", "{n}", "2", ".5",
            "1e", "min(", "{", "==", " ", "pi", "ü",
        ];
        let text: String = words.iter().map(|&k| WORDS[k]).collect();
        if let Err(flaw) = Expression::parse(&text) {
            prop_assert!(text.get(flaw.span()).is_some());
            prop_assert_eq!(flaw.to_string().lines().count(), 3);
        }
    }
}

#[test]
fn all_flaws_of_a_text_are_found() {
    for (text, expected) in [
        ("1 + x", &[] as &[&str]),
        (
            "sin(1, 2) + foo(bar(x)) + (",
            &["`sin` takes", "function `foo`", "function `bar`", "value"],
        ),
        ("", &["the expression is empty"]),
        ("foo(", &["function `foo`", "expected a value"]),
    ] {
        let flaws = Expression::flaws(text);
        assert_eq!(flaws.len(), expected.len(), "{text}: {flaws:?}");
        let first = Expression::parse(text).err().map(|flaw| flaw.to_string());
        assert_eq!(flaws.first().map(|flaw| flaw.to_string()), first);
        for (flaw, part) in flaws.iter().zip(expected) {
            assert!(flaw.to_string().contains(part), "{flaw}");
        }
    }
}
