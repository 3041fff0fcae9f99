import type { CallState, NextAction } from '#domain';

export const needsTools = ({ kind }: NextAction): boolean => kind === 'call_model' || kind === 'run_tools';

/** A call that its server goes on with: it can be asked for. */
export const isTask = ({ result, task }: CallState): boolean => result === null && task !== undefined;

/** A call of a tool server that was under way when the process that made it ended. */
export const isMaybeMade = ({ call, result, isBegun, task, inputs }: CallState): boolean => {
  if (result !== null || task !== undefined || call.server === undefined) return false;
  return isBegun === true || (call.needs === undefined && inputs === undefined);
};
