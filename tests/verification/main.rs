//! The verification cases of the numerics companion.

mod advection;
mod case;
mod curvature;
mod distances;
mod domains;
mod fixed_point;
mod fronts;
mod operators;
mod redistancing;
mod runner;
mod runs;

use case::Case;

macro_rules! cases {
    ($($test:ident: $module:ident::$case:ident;)*) => {
        /// All cases, in the order of the table.
        pub const CASES: &[&Case] = &[$(&$module::$case),*];
        $(#[test]
        fn $test() {
            runner::check(&$module::$case);
        })*
    };
}

cases! {
    v1: operators::V1;
    v2: operators::V2;
    v3: advection::V3;
    v5: advection::V5;
    v6: advection::V6;
    v8: advection::V8;
    v9: advection::V9;
    v10: fronts::V10;
    v11: fronts::V11;
    v12: fronts::V12;
    v13: fronts::V13;
    v14: fronts::V14;
    v15: curvature::V15;
    v16: curvature::V16;
    v18: curvature::V18;
    v19: curvature::V19;
    v20: curvature::V20;
    v21: curvature::V21;
    v22: curvature::V22;
    v23: curvature::V23;
    v24: advection::V24;
    v25: fronts::V25;
    v26: redistancing::V26;
    v27: distances::V27;
    v28: distances::V28;
    v29: redistancing::V29;
    v30: redistancing::V30;
    v31: redistancing::V31;
    v32: distances::V32;
    v33: distances::V33;
    v34: distances::V34;
    v35: redistancing::V35;
    v36: redistancing::V36;
    v37: redistancing::V37;
    v38: fixed_point::V38;
    v39: operators::V39;
    v41: fronts::V41;
}
