use engross_docx::*;
fn main() {
    for path in std::env::args().skip(1) {
        let t = std::time::Instant::now();
        match WordDocument::open(std::fs::read(&path).unwrap(), &Limits::default()) {
            Err(e) => println!("{path}\tOPEN\t{}\t{e}", e.code()),
            Ok(d) => match check(&d) {
                Err(e) => println!("{path}\tCHECK\t{}\t{e}", e.code()),
                Ok(f) => {
                    for x in f {
                        println!("{path}\t{}\t{:?}\t{}\t{}", x.code, x.severity, x.address, x.message);
                    }
                    println!("{path}\tTIME\t\t{}\t", t.elapsed().as_millis());
                }
            },
        }
    }
}
