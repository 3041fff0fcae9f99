export const TASK_STATUSES = ['scheduled', 'paused', 'finished', 'cancelled'] as const;

export interface Firing {
  readonly slot: string;
  /** null: the slot was missed. */
  readonly fired_at: string | null;
  readonly run_id: string | null;
  readonly late: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A task of `GET /tasks`. */
export interface TaskView {
  readonly task_id: string;
  readonly session: string;
  readonly schedule: number | string;
  readonly timezone: string;
  readonly message: string;
  readonly status: (typeof TASK_STATUSES)[number];
  readonly created_at: string;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
  /** The newest 100, newest first. */
  readonly firings: readonly Firing[];
}

export const taskPath = (task: string): string => `/console/tasks/${encodeURIComponent(task)}`;
