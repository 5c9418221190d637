// The tables, as a list of steps that only grows: a step that has been released is never changed.

/** Each gets the schema's name, which is a plain word. */
export const migrations: readonly ((schema: string) => string)[] = [runs, dispatch, leftovers, senders];

/** Roles belong to the whole server, so their names contain the schema's. */
export function roleNames(schema: string): { readonly client: string; readonly worker: string } {
  return { client: `${schema}_client`, worker: `${schema}_worker` };
}

function runs(schema: string): string {
  return `
-- Every process that works on runs. It is alive while it says so, or while the server sees its connection.
create table ${schema}.process (
  id uuid primary key,
  host text not null,
  pid integer not null,
  program text not null,
  lock_key bigint, -- of the advisory lock that its connection holds; null behind a pooler
  lease interval not null,
  started timestamptz not null default clock_timestamp(),
  seen timestamptz not null default clock_timestamp()
);

create table ${schema}.run (
  id text primary key,
  creation uuid not null, -- so that a repeated request is recognized
  name text, -- JSON
  status text not null, -- JSON; for lists
  created_at bigint not null,
  updated_at bigint not null,
  last_n bigint not null default 1,
  messages bigint not null default 0,
  read bigint not null default 0, -- the last message in the journal
  bytes bigint not null,
  note_bytes bigint not null default 0,
  ended boolean not null default false,
  due timestamptz, -- nothing can be done before, unless a message comes
  owner uuid,
  epoch bigint not null default 0 -- how many times the run was claimed: the fence
);
create index run_open on ${schema}.run (created_at) where not ended;

create table ${schema}.event (
  run text not null references ${schema}.run on delete cascade,
  n bigint not null,
  event text not null, -- JSON as it was written: jsonb would lose the order of keys, and cannot hold \\u0000
  primary key (run, n)
);

create table ${schema}.message (
  run text not null references ${schema}.run on delete cascade,
  n bigint not null,
  id uuid not null unique,
  key text, -- of messages of which only the first counts
  message text not null,
  sender text not null,
  primary key (run, n)
);
create index message_key on ${schema}.message (run, key) where key is not null;

create table ${schema}.blob (
  run text not null references ${schema}.run on delete cascade,
  hash text not null,
  content text not null,
  primary key (run, hash)
);

create table ${schema}.note (
  run text not null references ${schema}.run on delete cascade,
  epoch bigint not null,
  n bigint not null,
  note text not null,
  primary key (run, epoch, n)
);

-- A process without a connection gets a moment to come back, and all of them more of it after the server has started.
create function ${schema}.live() returns setof uuid language sql volatile set search_path = ${schema}, pg_temp as $$
  select id from process
  where seen > clock_timestamp() - lease
    and (
      lock_key is null
      or seen > clock_timestamp() - interval '1.5 seconds'
      or pg_postmaster_start_time() > clock_timestamp() - interval '5 seconds'
      or exists (
        select from pg_locks
        where locktype = 'advisory' and objsubid = 1 and granted
          and database = (select oid from pg_database where datname = current_database())
          and classid::bigint = lock_key >> 32 and objid::bigint = lock_key & 4294967295
      )
    )
$$;

create function ${schema}.create_run(
  the_run text, the_creation uuid, the_name text, the_status text, the_event text, the_time bigint
) returns boolean language plpgsql security definer set search_path = ${schema}, pg_temp as $$
begin
  insert into run (id, creation, name, status, created_at, updated_at, bytes)
  values (the_run, the_creation, the_name, the_status, the_time, the_time, octet_length(the_event))
  on conflict do nothing;
  if not found then
    return exists (select from run where id = the_run and creation = the_creation);
  end if;
  insert into event (run, n, event) values (the_run, 1, the_event);
  perform pg_notify('${schema}', '*');
  return true;
end $$;

-- Clients write nothing but this, so nobody can answer in another user's name.
create function ${schema}.post(
  the_run text, the_id uuid, the_key text, the_after bigint, the_message text, the_sender text
) returns text language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
  number bigint;
begin
  -- From here on, no other message of this run comes in between.
  perform from run where id = the_run for update;
  if not found then
    return 'missing';
  end if;
  if exists (select from message where id = the_id) then
    return 'kept';
  end if;
  if the_key is not null and exists (select from message where run = the_run and key = the_key and n > the_after) then
    return 'ignored';
  end if;
  update run set messages = messages + 1 where id = the_run returning messages into number;
  insert into message (run, n, id, key, message, sender)
  values (the_run, number, the_id, the_key, the_message, the_sender || ' (' || session_user || ')');
  perform pg_notify('${schema}', the_run);
  return 'kept';
end $$;

revoke all on function ${schema}.create_run, ${schema}.post from public;
`;
}

function dispatch(schema: string): string {
  return `
alter table ${schema}.run
  add column needs text[] not null default '{}', -- hosts that a worker must have
  add column taken_by uuid, -- a worker is about to start it
  add column taken_until timestamptz,
  add column crashes integer not null default 0, -- in a row
  add column not_before timestamptz;

create table ${schema}.schedule (
  name text primary key,
  cron text not null,
  request text not null, -- JSON: what is started
  needs text[] not null,
  is_paused boolean not null default false,
  next timestamptz not null,
  creator text not null default session_user
);

drop function ${schema}.create_run(text, uuid, text, text, text, bigint);
create function ${schema}.create_run(
  the_run text, the_creation uuid, the_name text, the_status text, the_event text, the_time bigint, the_needs text[]
) returns boolean language plpgsql security definer set search_path = ${schema}, pg_temp as $$
begin
  insert into run (id, creation, name, status, created_at, updated_at, bytes, needs)
  values (the_run, the_creation, the_name, the_status, the_time, the_time, octet_length(the_event), the_needs)
  on conflict do nothing;
  if not found then
    return exists (select from run where id = the_run and creation = the_creation);
  end if;
  insert into event (run, n, event) values (the_run, 1, the_event);
  perform pg_notify('${schema}', '*');
  return true;
end $$;
revoke all on function ${schema}.create_run from public;

-- Gives a worker the oldest run that it can execute. Two workers that ask at the same time never get the same one.
create function ${schema}.take_run(the_worker uuid, the_hosts text[], the_skipped text[], the_limits jsonb) returns text
language plpgsql set search_path = ${schema}, pg_temp as $$
declare
  found_run text;
begin
  -- Counting is only right if nobody else takes a run meanwhile.
  if the_limits <> '{}' then
    perform pg_advisory_xact_lock(hashtext('${schema} dispatch'));
  end if;
  select id into found_run from run
  where not ended
    and (owner is null or owner not in (select live()))
    and (owner is not null or messages > read or due is null or due <= clock_timestamp())
    and (coalesce(taken_until, '-infinity') <= clock_timestamp() or taken_by not in (select live()))
    and coalesce(not_before, '-infinity') <= clock_timestamp()
    and (the_hosts is null or needs <@ the_hosts)
    and id <> all (the_skipped)
    and not exists (
      select from jsonb_each_text(the_limits) as host_limit
      where host_limit.key = any (needs)
        and host_limit.value::integer <= (
          select count(*) from run as busy
          where not busy.ended and host_limit.key = any (busy.needs)
            and (busy.owner in (select live())
              or busy.taken_until > clock_timestamp() and busy.taken_by in (select live()))
        )
    )
  order by created_at
  limit 1
  for update skip locked;
  update run set taken_by = the_worker, taken_until = clock_timestamp() + interval '30 seconds' where id = found_run;
  return found_run;
end $$;
`;
}

function leftovers(schema: string): string {
  return `
-- Tells this database's runs from those of others, on machines and in repositories that several share.
create table ${schema}.fleet (id uuid not null);
insert into ${schema}.fleet (id) values (gen_random_uuid());

-- Files that runs left in repositories when they were removed. Until they are gone, too, no other run gets the id.
create table ${schema}.leftover (
  run text primary key,
  url text not null,
  since timestamptz not null default clock_timestamp()
);

create or replace function ${schema}.create_run(
  the_run text, the_creation uuid, the_name text, the_status text, the_event text, the_time bigint, the_needs text[]
) returns boolean language plpgsql security definer set search_path = ${schema}, pg_temp as $$
begin
  -- A worker that removes what an earlier run with this id left holds it, too.
  perform pg_advisory_xact_lock(hashtext('${schema} run ' || the_run));
  if exists (select from leftover where run = the_run) then
    return false;
  end if;
  insert into run (id, creation, name, status, created_at, updated_at, bytes, needs)
  values (the_run, the_creation, the_name, the_status, the_time, the_time, octet_length(the_event), the_needs)
  on conflict do nothing;
  if not found then
    return exists (select from run where id = the_run and creation = the_creation);
  end if;
  insert into event (run, n, event) values (the_run, 1, the_event);
  perform pg_notify('${schema}', '*');
  return true;
end $$;
`;
}

function senders(schema: string): string {
  return `
-- The name of the database's user comes first, because it is the only one that the sender cannot make up.
create or replace function ${schema}.post(
  the_run text, the_id uuid, the_key text, the_after bigint, the_message text, the_sender text
) returns text language plpgsql security definer set search_path = ${schema}, pg_temp as $$
declare
  number bigint;
  is_ended boolean;
  claimed text := left(regexp_replace(coalesce(the_sender, ''), '[()[:cntrl:]]', '', 'g'), 100);
  -- Without its escapes, because Postgres cannot read some of those that JavaScript can.
  sent json := regexp_replace(replace(the_message, '\\\\', ''), '\\\\u[0-9A-Fa-f]{4}', '', 'g');
begin
  -- A client may call this with anything, and a message that no version can read would stop the run.
  if json_typeof(sent) <> 'object' or json_typeof(sent->'at') is distinct from 'number' or not coalesce(case sent->>'type'
    when 'signal' then json_typeof(sent->'key') = 'string' and sent->'value' is not null
    when 'budget' then json_typeof(sent->'budget') = 'object'
      and not exists (select from json_each(sent->'budget') where json_typeof(value) <> 'number')
    when 'cancel' then true
  end, false) or (
    select count(*) <> count(distinct name) or bool_or(name not in ('type', 'at', 'key', 'value', 'budget'))
    from json_object_keys(sent) name
  ) then
    raise exception 'this is not a message to a run' using errcode = 'invalid_parameter_value';
  end if;
  -- From here on, no other message of this run comes in between, and the run does not end.
  select ended into is_ended from run where id = the_run for update;
  if not found then
    return 'missing';
  end if;
  if exists (select from message where id = the_id) then
    return 'kept';
  end if;
  if is_ended then
    return 'ended';
  end if;
  if the_key is not null and exists (select from message where run = the_run and key = the_key and n > the_after) then
    return 'ignored';
  end if;
  update run set messages = messages + 1 where id = the_run returning messages into number;
  insert into message (run, n, id, key, message, sender)
  values (the_run, number, the_id, the_key, the_message,
    session_user || case when claimed = '' then '' else ' (says it is ' || claimed || ')' end);
  perform pg_notify('${schema}', the_run);
  return 'kept';
end $$;
`;
}

/** What the two roles may do. Repeated after every migration. */
export function grants(schema: string): string {
  const { client, worker } = roleNames(schema);
  return `
grant usage on schema ${schema} to ${client}, ${worker};
grant select on all tables in schema ${schema} to ${client}, ${worker};
grant execute on all functions in schema ${schema} to ${client}, ${worker};
grant insert, update, delete on ${schema}.process, ${schema}.run, ${schema}.event, ${schema}.blob, ${schema}.note,
  ${schema}.leftover to ${worker};
-- Not the creator, which the database fills in.
revoke insert, update on ${schema}.schedule from ${client}, ${worker};
grant insert (name, cron, request, needs, next), update (is_paused, next), delete on ${schema}.schedule to ${client}, ${worker};
`;
}
