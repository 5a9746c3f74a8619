use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;
use crate::{Cpu, Error};

/// Runs a loop with 1, 2 and 5 threads, and checks that the results are equal.
fn on_threads<T: Send + PartialEq + std::fmt::Debug>(run: impl Fn() -> T + Sync) -> T {
    let [one, two, five] = [1, 2, 5].map(|n| Cpu::new(n).unwrap().run(&run));
    assert_eq!(one, two);
    assert_eq!(one, five);
    one
}

const SIZES: [usize; 5] = [0, 1, 2, 1000, 10_007];

#[test]
fn adaptors_give_the_items_of_sequential_loops() {
    for n in SIZES {
        let x: Vec<u32> = (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761)).collect();
        let odd = |v: &&u32| **v % 2 == 1;
        let half = |v: &u32| v.is_multiple_of(2).then_some(v / 2);
        let twice = |(k, v): (usize, &u32)| [k as u64, u64::from(*v)];
        assert_eq!(on_threads(|| x.par_iter().map(|v| v ^ 7).collect::<Vec<_>>()), {
            x.iter().map(|v| v ^ 7).collect::<Vec<_>>()
        });
        assert_eq!(on_threads(|| x.par_iter().filter(odd).copied().collect::<Vec<_>>()), {
            x.iter().filter(odd).copied().collect::<Vec<_>>()
        });
        assert_eq!(on_threads(|| x.par_iter().filter_map(half).collect::<Vec<_>>()), {
            x.iter().filter_map(half).collect::<Vec<_>>()
        });
        assert_eq!(
            on_threads(|| x.par_iter().enumerate().flat_map_iter(twice).collect::<Vec<_>>()),
            x.iter().enumerate().flat_map(twice).collect::<Vec<_>>()
        );
        for size in [1, 3, 64] {
            let sum = |part: &[u32]| part.iter().map(|&v| u64::from(v)).sum::<u64>();
            assert_eq!(on_threads(|| x.par_chunks(size).map(sum).collect::<Vec<_>>()), {
                x.chunks(size).map(sum).collect::<Vec<_>>()
            });
            assert_eq!(on_threads(|| x.par_chunks_exact(size).map(sum).collect::<Vec<_>>()), {
                x.chunks_exact(size).map(sum).collect::<Vec<_>>()
            });
            assert_eq!(on_threads(|| x.par_windows(size).map(sum).collect::<Vec<_>>()), {
                x.windows(size).map(sum).collect::<Vec<_>>()
            });
            assert_eq!(
                on_threads(|| x.par_iter().step_by(size).copied().collect::<Vec<_>>()),
                x.iter().step_by(size).copied().collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn reductions_give_the_results_of_sequential_loops() {
    for n in SIZES {
        let x: Vec<u64> = (0..n as u64).map(|k| k * 37 % 1009).collect();
        assert_eq!(on_threads(|| x.par_iter().sum::<u64>()), x.iter().sum::<u64>());
        assert_eq!(on_threads(|| x.par_iter().copied().min()), x.iter().copied().min());
        assert_eq!(on_threads(|| x.par_iter().copied().max()), x.iter().copied().max());
        assert_eq!(on_threads(|| x.par_iter().filter(|v| **v > 500).count()), {
            x.iter().filter(|v| **v > 500).count()
        });
        // Not commutative, so that the order matters.
        let text = || x.par_iter().map(u64::to_string).reduce(String::new, |a, b| a + &b);
        assert_eq!(on_threads(text), x.iter().map(u64::to_string).collect::<String>());
        let last = || x.par_iter().copied().reduce_with(|_, b| b);
        assert_eq!(on_threads(last), x.last().copied());
        let folded = || x.par_iter().fold(|| 0, |sum, v| sum + v).sum::<u64>();
        assert_eq!(on_threads(folded), x.iter().sum::<u64>());
        for wanted in [0, 1008, 5000] {
            let first = || x.par_iter().position_first(|&v| v == wanted);
            assert_eq!(on_threads(first), x.iter().position(|&v| v == wanted));
            assert_eq!(on_threads(|| x.par_iter().any(|&v| v == wanted)), x.contains(&wanted));
            assert_eq!(on_threads(|| x.par_iter().all(|&v| v != wanted)), !x.contains(&wanted));
        }
    }
}

#[test]
fn the_first_error_is_returned() {
    let check = |k: usize| if k < 4000 { Ok(k) } else { Err(k) };
    let all =
        |n: usize| on_threads(|| (0..n).into_par_iter().map(check).collect::<Result<Vec<_>, _>>());
    assert_eq!(all(4000), Ok((0..4000).collect::<Vec<_>>()));
    assert_eq!(all(9000), Err(4000));
    let each = || (0..9000_usize).into_par_iter().try_for_each(|k| check(k).map(|_| ()));
    assert_eq!(on_threads(each), Err(4000));
}

#[test]
fn mutable_loops_visit_each_element_once() {
    for n in SIZES {
        let run = || {
            let (mut a, mut b) = (vec![0_usize; n], vec![0_usize; n]);
            a.par_iter_mut().enumerate().for_each(|(k, a)| *a += k);
            a.par_chunks_mut(7).zip(b.par_chunks_mut(7)).for_each(|(a, b)| {
                a.iter_mut().zip(b).for_each(|(a, b)| (*a, *b) = (*a + 1, *b + 2));
            });
            b.par_chunks_exact_mut(2).for_each(|pair| pair[1] += 1);
            (a, b)
        };
        let (a, b) = on_threads(run);
        assert!(a.iter().enumerate().all(|(k, &a)| a == k + 1));
        assert!(b.iter().enumerate().all(|(k, &b)| b == 2 + k % 2));
    }
}

#[test]
fn vectors_are_extended_in_place() {
    let mut x = vec![1_u32, 2];
    x.par_extend((3..1000_u32).into_par_iter());
    x.par_extend((0..3000_u32).into_par_iter().filter(|v| *v >= 1000));
    assert!(x.iter().copied().eq(1..3000));
    x.par_iter().map(|v| v + 1).collect_into_vec(&mut Vec::new());
    let (a, b): (Vec<u32>, Vec<u64>) = x.par_iter().map(|&v| (v, u64::from(v))).unzip();
    assert!(a == x && b.into_iter().eq(1..3000));
}

#[test]
fn elements_of_a_vector_are_moved_or_dropped() {
    let value = std::sync::Arc::new(());
    let all = || vec![value.clone(); 1000];
    on_threads(|| {
        let kept: Vec<_> = all().into_par_iter().filter(|_| true).collect();
        assert_eq!(kept.len(), 1000);
        // A part whose visit ends early drops the rest.
        assert!(all().into_par_iter().with_min_len(1000).any(|_| true));
    });
    assert_eq!(std::sync::Arc::strong_count(&value), 1);
}

#[test]
fn a_panic_reaches_the_caller() {
    let run = || {
        let values = (0..1000_usize).into_par_iter().map(|k| Box::new(10 / (700 - k)));
        values.collect::<Vec<_>>()
    };
    assert!(std::panic::catch_unwind(run).is_err());
}

/// Runs `work`, which sets the flag, with 1, 2 and 5 threads. Checks that it is interrupted.
fn interrupted_by(work: impl Fn(&AtomicBool) + Sync) {
    for threads in [1, 2, 5] {
        let flag = AtomicBool::new(false);
        let done = interruptible(&flag, || Cpu::new(threads).unwrap().run(|| work(&flag)));
        assert!(matches!(done, Err(Error::Interrupted)), "{threads} threads: {done:?}");
        // Nothing is left behind.
        assert_eq!((0..100_u32).into_par_iter().sum::<u32>(), 4950);
    }
}

#[test]
fn a_flag_ends_a_loop() {
    interrupted_by(|flag| {
        let calls = AtomicUsize::new(0);
        let rest = OnDrop(|| {
            let calls = calls.load(Ordering::Relaxed);
            assert!(calls < 100_000, "the loop went on for {calls} of 1000000 calls");
        });
        (0..1_000_000_u32).into_par_iter().for_each(|_| {
            calls.fetch_add(1, Ordering::Relaxed);
            flag.store(true, Ordering::Relaxed);
        });
        drop(rest);
    });
}

/// Calls a function when it is dropped.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_flag_ends_nested_loops_joins_and_collections() {
    interrupted_by(|flag| {
        (0..4_u32).into_par_iter().for_each(|_| {
            flag.store(true, Ordering::Relaxed);
            (0..4_u32).into_par_iter().for_each(|_| panic!("the inner loop began"));
        });
    });
    interrupted_by(|flag| {
        flag.store(true, Ordering::Relaxed);
        join(|| panic!("the first half began"), || ());
    });
    interrupted_by(|flag| {
        let both = join(|| 1, || Cpu::current().run(|| flag.store(true, Ordering::Relaxed)));
        assert_eq!(both, (1, ()));
        (0..4_u32).into_par_iter().for_each(|_| panic!("the loop began"));
    });
    let kept = Arc::new(());
    interrupted_by(|flag| {
        let items = (0..10_000_u32).into_par_iter().filter(|&k| {
            flag.store(k > 5000, Ordering::Relaxed);
            true
        });
        let items: Vec<_> = items.map(|_| kept.clone()).collect();
        flag.store(true, Ordering::Relaxed);
        (0..items.len()).into_par_iter().for_each(|_| panic!("the loop began"));
    });
    assert_eq!(Arc::strong_count(&kept), 1, "items of an interrupted loop are freed");
}

#[test]
fn work_without_the_flag_and_other_panics_are_not_interrupted() {
    let flag = AtomicBool::new(true);
    let sum = || (0..100_u32).into_par_iter().sum::<u32>();
    assert_eq!(interruptible(&flag, || uninterrupted(sum)).unwrap(), 4950);
    let panic = || interruptible(&flag, || uninterrupted(|| panic!("of its own")));
    let payload = std::panic::catch_unwind(panic).unwrap_err();
    assert!(!is_interruption(&*payload) && payload.is::<&str>());
}

#[test]
fn loops_that_share_threads_have_flags_of_their_own() {
    let cpu = Cpu::new(2).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            interruptible(&stop, || {
                cpu.run(|| {
                    loop {
                        (0..64_u32).into_par_iter().for_each(|_| std::thread::yield_now());
                    }
                })
            })
        });
        for _ in 0..200 {
            let sum = cpu.run(|| join(|| (0..999_u32).into_par_iter().sum::<u32>(), || ()).0);
            assert_eq!(sum, 498_501);
            stop.store(true, Ordering::Relaxed);
        }
        assert!(matches!(first.join().unwrap(), Err::<(), _>(Error::Interrupted)));
    });
}
