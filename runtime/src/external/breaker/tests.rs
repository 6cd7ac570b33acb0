use super::*;

fn breaker() -> (Breaker, Instant) {
    let settings = BreakerSettings {
        consecutive: 5,
        failure_percent: 50,
        window: 20,
        open_for: Duration::from_secs(5),
        longest: Duration::from_secs(60),
    };
    (Breaker::new(settings), Instant::now())
}

fn report(breaker: &mut Breaker, verdict: Verdict, now: Instant) {
    let admission = breaker.admit(now).expect("the breaker is closed");
    breaker.report(admission, verdict, now);
}

#[test]
fn an_object_that_fails_again_shuts_nobody_out_who_is_answered() {
    let (mut breaker, mut now) = breaker();
    report(&mut breaker, Verdict::Alive, now);
    for _ in 0..100 {
        report(&mut breaker, Verdict::FailedAgain, now);
        assert_eq!(breaker.shut_until(now), None);
    }
    // Others that fail count, whatever came between.
    for _ in 0..4 {
        report(&mut breaker, Verdict::Failed, now);
        report(&mut breaker, Verdict::FailedAgain, now);
    }
    assert_eq!(breaker.shut_until(now), None);
    now += Duration::from_secs(1);
    report(&mut breaker, Verdict::Failed, now);
    assert!(breaker.shut_until(now).is_some());
}

#[test]
fn where_nobody_is_answered_every_failure_counts() {
    let (mut breaker, now) = breaker();
    for _ in 0..4 {
        report(&mut breaker, Verdict::FailedAgain, now);
    }
    assert_eq!(breaker.shut_until(now), None);
    report(&mut breaker, Verdict::FailedAgain, now);
    assert!(breaker.shut_until(now).is_some());
    // The same once the last answer is long ago.
    let (mut breaker, mut now) = self::breaker();
    report(&mut breaker, Verdict::Alive, now);
    now += Duration::from_secs(5);
    for _ in 0..5 {
        report(&mut breaker, Verdict::FailedAgain, now);
    }
    assert!(breaker.shut_until(now).is_some());
}

#[test]
fn a_probe_that_fails_is_a_failure_whose_ever_it_is() {
    let (mut breaker, mut now) = breaker();
    for _ in 0..5 {
        report(&mut breaker, Verdict::Failed, now);
    }
    now = breaker.shut_until(now).expect("the breaker is open");
    report(&mut breaker, Verdict::FailedAgain, now);
    assert!(breaker.shut_until(now).is_some());
}

#[test]
fn calls_that_time_out_together_are_no_row_if_another_was_answered_meanwhile() {
    let (mut breaker, start) = breaker();
    let mut together: Vec<_> = (0..9)
        .map(|_| breaker.admit(start).expect("the breaker is closed"))
        .collect();
    let answered = together.pop().expect("there are nine");
    breaker.report(answered, Verdict::Alive, start + Duration::from_millis(100));
    let now = start + Duration::from_secs(1);
    for admission in together {
        breaker.report(admission, Verdict::Failed, now);
        assert_eq!(breaker.shut_until(now), None);
    }
    // During these nobody is.
    for _ in 0..5 {
        report(&mut breaker, Verdict::Failed, now);
    }
    assert!(breaker.shut_until(now).is_some());
}
