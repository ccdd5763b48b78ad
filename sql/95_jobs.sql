-- Schema jobs: the schedules. pg_cron calls SQL, and through pg_net the Edge Functions; URL and
-- secret come from the Vault. Objects are named inside plpgsql only, so that this file loads where
-- the extensions are missing.

create schema jobs;
revoke all on schema jobs from public;
comment on schema jobs is
  'Schedules and what they call. Only postgres may use it: its functions use a secret key.';

create function jobs.start_ingest() returns bigint
language sql volatile
set search_path = ''
as $$ select base.call_edge_function('ingest') $$;
comment on function jobs.start_ingest() is 'Starts ingest now instead of at the next schedule.';

create function jobs.publish_pending() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform stream.broadcast_pending();
  perform stream.publish_best();
  begin
    perform stream.relay_pending();
  exception
    when others then
      -- Broadcasts go on where the broker of Centrifugo is missing or broken.
      raise warning 'Frames were not given to the broker of Centrifugo: %', sqlerrm;
  end;
end
$$;
comment on function jobs.publish_pending() is
  'Broadcasts and relays what other writers than ingest have published.';

create function jobs.purge_expired() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- One line for each schema, in bounded batches of rows. Dropping a table locks it until the end
  -- of the transaction, so jobs.drop_expired_partitions does that.
  perform catalog.purge_expired();
  perform price.purge_closed_pairs();
  perform arb.purge_expired();
  perform account.purge_expired();
  perform stream.purge_expired();
  perform stream.purge_tickets();
  perform webhook.purge_expired();
  perform ops.purge_expired();
  -- Jobs that run every 5 s write 35,000 rows of run details a day.
  if to_regclass('cron.job_run_details') is not null then
    delete from cron.job_run_details d where d.end_time < clock_timestamp() - interval '1 hour';
  end if;
  if to_regclass('net._http_response') is not null then
    delete from net._http_response r where r.created < clock_timestamp() - interval '1 hour';
  end if;
end
$$;
comment on function jobs.purge_expired() is
  'Deletes what is past its retention, one purge_expired() for each schema; docs/operations.md '
  'lists the periods. Settled pairs, rules, organizations and monthly usage stay.';

create function jobs.drop_expired_partitions() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform price.drop_old_partitions();
  perform price.drop_old_history();
  perform stream.drop_old_partitions();
end
$$;
comment on function jobs.drop_expired_partitions() is
  'Drops expired partitions of price updates, history and the publication log. Separate from '
  'jobs.purge_expired, because it blocks flushes and steps until it commits.';

create function jobs.install_schedules() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_extension text;
  v_job record;
begin
  perform stream.install_realtime_policy();
  perform export.create_bucket();
  foreach v_extension in array array['pg_cron', 'pg_net', 'supabase_vault'] loop
    if exists (select from pg_catalog.pg_available_extensions e where e.name = v_extension)
      and not exists (select from pg_catalog.pg_extension e where e.extname = v_extension) then
      execute format(
        'create extension if not exists %I with schema %I', v_extension,
        case v_extension when 'pg_cron' then 'pg_catalog' when 'pg_net' then 'extensions' else 'vault' end
      );
    end if;
  end loop;
  if to_regprocedure('cron.schedule(text, text, text)') is null then
    raise warning 'pg_cron is missing, so no job is scheduled. pipeline.refresh_snapshot() still runs with each '
                  'request. Start ingest by hand.';
    return;
  end if;
  for v_job in
    select *
    from (
      values
        ('parallax_advance', '5 seconds', 'select pipeline.refresh_snapshot()'),
        ('parallax_stream', '5 seconds', 'select jobs.publish_pending()'),
        ('parallax_history', '5 seconds', 'select price.sample_history()'),
        -- The platform recommends at most eight jobs at once, so work that is due each minute
        -- shares one.
        (
          'parallax_minute', '* * * * *',
          'select census.rebuild_if_due(), pipeline.watch_divergence(), arb.update_track_record(), '
          'ops.sample_gates(), stream.sample_feed_delays(), export.wake_if_due()'
        ),
        ('parallax_ingest', '10 seconds', 'select base.call_edge_function(''ingest'')'),
        ('parallax_deliver', '10 seconds', 'select webhook.wake_if_due()'),
        ('parallax_retention', '*/10 * * * *', 'select jobs.purge_expired()'),
        ('parallax_partitions', '5-59/10 * * * *', 'select jobs.drop_expired_partitions()')
    ) j(name, schedule, command)
  loop
    perform cron.schedule(v_job.name, v_job.schedule, v_job.command);
  end loop;
end
$$;
comment on function jobs.install_schedules() is
  'Creates or renews all schedules by name, the policy on realtime.messages and the bucket of '
  'exports. Idempotent. Each migration calls it last, since schedules are data.';

revoke all on function jobs.start_ingest(), jobs.publish_pending(), jobs.purge_expired(),
  jobs.drop_expired_partitions(),
  jobs.install_schedules() from public;
