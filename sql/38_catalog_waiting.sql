-- Which candidate pairs wait for a person to review them. The census counts their events.

create view catalog.waiting_pairs with (security_invoker = true) as
select p.pair_id, p.question_a, p.question_b
from catalog.pairs p
where p.withdrawn_at is null
  and p.stage = 'candidate'
  and p.assessment_id in (
    select a.assessment_id
    from catalog.assessments a
    where jsonb_path_exists(a.signals, '$[*].signal ? (@ == "unconfirmed_league" || @ == "unconfirmed_name")')
  );
comment on view catalog.waiting_pairs is
  'Candidate pairs that wait for a review: only their texts agree, because the registry does not '
  'hold the league or a name.';
