-- API keys: sk_live_ + 8 characters of public id + _ + 32 random characters + 6 characters of
-- CRC-32, all base62.
--
-- Alphabet: 0-9 A-Z a-z, in this order. The checksum is CRC-32 (ISO 3309: reflected, polynomial
-- 0xEDB88320, initial value and final xor 0xFFFFFFFF) of the 49 ASCII characters before it, as a
-- base62 number of exactly 6 digits, most significant first, zero-padded (62^6 > 2^32). The
-- database stores the SHA-256 of all 55 characters. functions/_shared/checksum.ts has the same
-- rules; tests/account/key_vectors.json tests both. A stream ticket has the same checksum.
--
-- 32 characters of 62 are 32 * log2(62) = 190 bits. No search finds them, so a fast hash is enough.
-- The public id is random and unique: it identifies a key and reveals nothing. The checksum rejects
-- typing errors before any query.

create function account.base62(p_value bigint, p_digits integer) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select string_agg(
    substr(
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      (p_value / (62::numeric ^ i)::bigint % 62)::integer + 1, 1
    ),
    '' order by i desc
  )
  from generate_series(0, p_digits - 1) i
$$;
comment on function account.base62(bigint, integer) is
  'p_value in base62 with exactly p_digits digits, most significant first.';

create function account.random_base62(p_length integer) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_text text := '';
begin
  -- 248 = 4 * 62. Bytes from 248 on are skipped: 256 is no multiple of 62, so the first 8 digits
  -- would be more frequent.
  while length(v_text) < p_length loop
    v_text := v_text || coalesce(
      (
        select string_agg(account.base62(b.byte % 62, 1), '' order by b.n)
        from (
          select g.n, get_byte(r.bytes, g.n) as byte
          from (select extensions.gen_random_bytes(64) as bytes) r
          cross join generate_series(0, 63) g(n)
        ) b
        where b.byte < 248
      ),
      ''
    );
  end loop;
  return left(v_text, p_length);
end
$$;
comment on function account.random_base62(integer) is
  'Base62 characters with equal probabilities, from the random generator of the operating system.';

create function account.crc32(p_text text) returns bigint
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  v_bytes bytea := convert_to(p_text, 'UTF8');
  v_crc bigint := 4294967295;
begin
  for i in 0 .. length(v_bytes) - 1 loop
    v_crc := v_crc # get_byte(v_bytes, i);
    for j in 1 .. 8 loop
      v_crc := (v_crc >> 1) # case when v_crc & 1 = 1 then 3988292384 else 0 end;
    end loop;
  end loop;
  return v_crc # 4294967295;
end
$$;
comment on function account.crc32(text) is
  'CRC-32 as in zip and png. crc32(''123456789'') = 3421780262. (PostgreSQL 18 has its own.)';

create function account.checksum(p_body text) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select account.base62(account.crc32(p_body), 6) $$;
comment on function account.checksum(text) is
  'The last six characters of a key or a stream ticket, from those before them.';

create function account.key_hash(p_key text) returns bytea
language sql immutable parallel safe
set search_path = ''
as $$ select sha256(convert_to(p_key, 'UTF8')) $$;
comment on function account.key_hash(text) is
  'The stored hash of a key. Only the prefix is stored next to it.';

create function account.count_active_keys(p_org_id uuid) returns bigint
language sql stable
set search_path = ''
as $$
  select count(*)
  from account.keys k
  where k.org_id = p_org_id
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp())
$$;
comment on function account.count_active_keys(uuid) is
  'The number of active keys of an organization. The limit is 1,000: enough for a key on each '
  'machine, few enough to list.';

create function account.insert_key(
  p_org_id uuid, p_name text, p_lifetime interval default null, p_scope text default 'full'
)
returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_prefix text := 'sk_live_' || account.random_base62(8);
  v_body text := v_prefix || '_' || account.random_base62(32);
  v_key text := v_body || account.checksum(v_body);
begin
  insert into account.keys (org_id, prefix, hash, name, scope, lifetime, expires_at)
  values (
    p_org_id, v_prefix, account.key_hash(v_key), btrim(p_name), p_scope, p_lifetime, clock_timestamp() + p_lifetime
  );
  return v_key;
end
$$;
comment on function account.insert_key(uuid, text, interval, text) is
  'Creates a key of an organization and returns its full text, which is stored nowhere. '
  'p_lifetime null: it does not expire.';

create function account.lifetime_until(p_expires_at timestamptz) returns interval
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_expires_at > clock_timestamp() and p_expires_at <= clock_timestamp() + interval '10 years' then
    return p_expires_at - clock_timestamp();
  elsif p_expires_at is not null then
    perform account.raise_error(400, 'key.expiry', 'A key must expire in the future, within 10 years.');
  end if;
  return null;
end
$$;
comment on function account.lifetime_until(timestamptz) is
  'The lifetime of a key that expires at this time; null for null. A past or distant time is an '
  'error (400).';

create function account.audited_key(p_key text) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('name', k.name, 'scope', k.scope, 'expires_at', base.format_time(k.expires_at))
  from account.keys k
  where k.hash = account.key_hash(p_key)
$$;
comment on function account.audited_key(text) is 'What the audit keeps of a new key.';

create function account.mint_key(
  p_org_name text,
  p_tier text,
  p_key_name text default 'minted by an operator',
  p_expires_at timestamptz default null,
  p_scope text default 'full'
) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_name text := btrim(normalize(p_org_name, nfc));
  v_lifetime interval := p_expires_at - clock_timestamp();
  v_org uuid;
  v_found bigint;
  v_key text;
begin
  if coalesce(v_name, '') = '' or length(v_name) > 200 then
    raise exception 'An organization needs a name of 1 to 200 characters.' using errcode = '22023';
  end if;
  if coalesce(p_key_name, '') !~ '[^[:space:]]' or length(btrim(p_key_name)) > 100 then
    raise exception 'A key needs a name of 1 to 100 characters.' using errcode = '22023';
  elsif v_lifetime <= '0' or v_lifetime > interval '10 years' then
    raise exception 'A key must expire in the future, within 10 years.' using errcode = '22023';
  elsif coalesce(p_scope, '') not in ('full', 'read_only') then
    raise exception 'A scope is "full" or "read_only", not "%".', p_scope using errcode = '22023';
  end if;
  if v_name || p_key_name <> base.strip_invisible(v_name || p_key_name) then
    raise exception 'A name has no line breaks or invisible characters.' using errcode = '22023';
  end if;
  perform account.check_tier(p_tier);
  -- Two concurrent calls would create two organizations with one name.
  perform pg_advisory_xact_lock(hashtextextended('account.mint_key ' || v_name, 0));
  select min(o.org_id::text)::uuid, count(*)
  into v_org, v_found
  from account.organizations o
  where o.org_id::text = lower(v_name)
    -- Users choose the names of their organizations. Such a name must not receive a key or a tier
    -- that was meant for another organization.
    or (
      o.name = v_name
      and not o.made_by_user
      and not exists (select from account.members m where m.org_id = o.org_id)
    );
  if v_found > 1 then
    raise exception '% organizations have the name "%". Give the id instead.', v_found, v_name using errcode = '22023';
  end if;
  if v_org is null then
    v_org := account.create_organization(v_name, p_tier);
  else
    perform account.set_plan(v_org, p_tier, 'active');
    if account.count_active_keys(v_org) >= 1000 then
      raise exception '"%" has 1,000 active keys, which is the limit. Revoke some first.', v_name
        using errcode = '22023';
    end if;
  end if;
  v_key := account.insert_key(v_org, p_key_name, v_lifetime, p_scope);
  perform account.write_audit(v_org, 'key.minted', left(v_key, 16), account.audited_key(v_key));
  return v_key;
end
$$;
comment on function account.mint_key(text, text, text, timestamptz, text) is
  'For operators (role postgres): returns a new key of the organization, with this tier. Creates '
  'it when no organization of an operator has the name; that of users matches by its id only.';

revoke all on function
  account.base62(bigint, integer),
  account.random_base62(integer),
  account.crc32(text),
  account.checksum(text),
  account.key_hash(text),
  account.count_active_keys(uuid),
  account.insert_key(uuid, text, interval, text),
  account.lifetime_until(timestamptz),
  account.audited_key(text),
  account.mint_key(text, text, text, timestamptz, text)
from public;
