import { checkActions } from './actions.js';
import { checkCallbacks } from './callbacks.js';
import { checkClaims } from './claims.js';
import { checkClients } from './clients.js';
import { checkCompactions } from './compactions.js';
import { checkContext } from './contexts.js';
import { checkErasures } from './erasures.js';
import { type Evidence, Violated, sessionsOf } from './evidence.js';
import { checkForks } from './forks.js';
import { checkHistory } from './histories.js';
import { checkLog } from './log.js';
import { countMarks } from './log-marks.js';
import { checkProjection } from './projection.js';
import { checkRuns } from './runs.js';
import { checkSeals } from './seals.js';
import { checkServers } from './servers.js';
import { checkTasks } from './tasks.js';
import { checkTools } from './tools.js';
import { checkWorkflows } from './workflows.js';

/** Looks for the first breach of an invariant; null where all hold. */
export async function check(evidence: Evidence): Promise<{ invariant: string; detail: string } | null> {
  const sessions = sessionsOf(evidence.log);
  try {
    checkLog(evidence.log);
    for (const session of sessions) {
      checkClaims(session);
      checkRuns(session);
      checkHistory(session);
      checkContext(session, evidence);
      checkCompactions(session, evidence);
    }
    checkTools(sessions, evidence);
    checkClients(sessions, evidence);
    if (evidence.parts.flows) {
      checkWorkflows(sessions, evidence);
      checkServers(sessions, evidence);
    }
    if (evidence.parts.actions) checkActions(sessions, evidence);
    if (evidence.parts.tasks) checkTasks(sessions, evidence);
    if (evidence.parts.callbacks) checkCallbacks(sessions, evidence);
    if (evidence.parts.erasures) checkErasures(sessions, evidence);
    const { log, projection } = evidence;
    if (projection) checkProjection(log, projection.prefix, projection.rows, projection.position);
    if (evidence.seals !== null) checkSeals(log, evidence.seals);
    await checkForks(sessions, evidence);
  } catch (error) {
    if (error instanceof Violated) return { invariant: error.invariant, detail: error.detail };
    throw error;
  }
  countMarks(sessions, evidence.marks);
  return null;
}
