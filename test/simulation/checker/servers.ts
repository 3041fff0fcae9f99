import { isFileRef } from '#domain';
import { SECRET_OF_SERVERS } from '../world/sim-servers.js';
import { type Evidence, type SessionLog, type SessionRecord, at, require } from './evidence.js';
import { textIn } from './workflow-facts.js';

interface ServerRun {
  /** The life that wrote the request. */
  readonly accepted: string;
  /** Another life has claimed it: then the first forgets the servers, also where it gets the run back. */
  wasElsewhere: boolean;
  /** Calls without a result. */
  readonly open: Set<string>;
}

const lifeOf = (event: SessionRecord): string => event.id.slice(0, 4);

/**
 * I5 and I12: a run whose tool servers went with the process that knew them ends in `tool_servers_lost`, its open calls
 * told as unknown; one that is with its own process does not. Nothing of the servers but their names is on the log.
 */
export function checkServers(sessions: readonly SessionLog[], evidence: Evidence): void {
  for (const event of evidence.log)
    require(!event.json.includes(SECRET_OF_SERVERS), 'I12 no credentials on the log', () => at(event));
  for (const session of sessions) {
    const runs = new Map<string, ServerRun>();
    for (const event of session.events) take(event, session, runs, evidence);
  }
}

function take(
  event: SessionRecord,
  session: SessionLog,
  runs: Map<string, ServerRun>,
  evidence: Evidence,
): void {
  const name = event.meta.run ?? '';
  if (event.type === 'run_requested') {
    const { config } = event.data;
    const { mcp_servers = [] } = isFileRef(config)
      ? (JSON.parse(textIn(session, config, evidence)) as { mcp_servers?: readonly string[] })
      : config;
    if (mcp_servers.length > 0)
      runs.set(name, { accepted: lifeOf(event), wasElsewhere: false, open: new Set() });
  }
  const run = runs.get(name);
  if (run === undefined) return;
  if (event.type === 'run_claimed') {
    run.wasElsewhere ||= lifeOf(event) !== run.accepted;
  } else if (event.type === 'model_turn_completed') {
    for (const call of event.data.tool_calls ?? [])
      run.open.add(`${event.data.step?.step_id ?? ''}/${call.id}`);
  } else if (event.type === 'tool_call_completed') {
    run.open.delete(`${event.data.step?.step_id ?? ''}/${event.data.call_id}`);
  } else if (event.type === 'agent_error' && event.data.code === 'tool_servers_lost') {
    const wrong = (why: string) => () => `${at(event)} of ${name}: ${why}`;
    require(event.data.retryable, 'I5 lost servers are retryable', wrong('not retryable'));
    require(run.wasElsewhere, 'I5 servers are lost with their process only', wrong('it is there'));
    require(run.open.size === 0, 'I5 open calls are told as unknown', wrong([...run.open].join()));
  }
}
