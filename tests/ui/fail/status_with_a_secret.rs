use opgen_runtime::status::Sensitive;

fn into_a_status<T: serde::Serialize>(_: T) {}

fn main() {
    into_a_status(Sensitive::new("s3cr3t"));
}
