//! Prints the largest distance from a vertex of a mesh. Change this program as you like.

fn main() -> zeroset::Result<()> {
    let path = std::env::args().nth(1).expect("the path of a mesh follows the command");
    let mesh = zeroset::read(path)?;
    let found = zeroset::distance(&mesh, &[zeroset::Source::Vertex(0)])?;
    let farthest = found.values.iter().copied().fold(0.0, f64::max);
    println!("the farthest vertex is {farthest:.1} away");
    Ok(())
}
