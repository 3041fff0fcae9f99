/** What was found of one thing that the service needs. */
export interface Finding {
  readonly name: 'settings' | 'node' | 'service' | 'disk' | 'log' | 'database' | 'model' | 'clock';
  readonly status: 'ok' | 'warning' | 'fault';
  /** Without secrets. */
  readonly detail: string;
  /** What to do; absent where there is nothing to be done. */
  readonly advice?: string;
}

export type Name = Finding['name'];

export const ok = (name: Name, detail: string): Finding => ({ name, status: 'ok', detail });
export const warning = (name: Name, detail: string, advice: string): Finding => ({
  name,
  status: 'warning',
  detail,
  advice,
});
export const fault = (name: Name, detail: string, advice: string): Finding => ({
  name,
  status: 'fault',
  detail,
  advice,
});

export const lineOf = ({ name, status, detail, advice }: Finding): string =>
  `${status.padEnd(8)} ${name.padEnd(9)} ${detail}${advice === undefined ? '' : `: ${advice}`}`;
