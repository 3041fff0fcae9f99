/** Numbers and words about what goes to Kafka and comes from it: for `/readyz`, metrics and operators. No secrets. */
export interface PublisherStatus {
  /** `standby`: not started, another process may publish. `connecting`: has not yet been able to. */
  readonly state: 'standby' | 'connecting' | 'publishing' | 'failing';
  /** What is wrong; null: nothing. */
  readonly detail: string | null;
  /** Age of the oldest event that is not published yet, 0 where there is none. */
  readonly lagMs: number;
  /** Events published by this process. */
  readonly published: number;
  readonly transactions: number;
  readonly failures: number;
}

export interface CommandsStatus {
  /** `standby`: not started. `connecting`: not yet a member of the group. */
  readonly state: 'standby' | 'connecting' | 'consuming' | 'failing';
  readonly detail: string | null;
  /** Commands in the partitions of this process that are not settled yet, as of some seconds ago. */
  readonly waiting: number;
  readonly accepted: number;
  readonly rejected: number;
  /** Times that the consumer was made again. */
  readonly restarts: number;
}
