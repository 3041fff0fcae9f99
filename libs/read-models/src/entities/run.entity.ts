import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'runs' })
export class RunEntity {
  @PrimaryColumn({ name: 'run_id', type: 'text' })
  runId!: string;

  @Column({ type: 'text' })
  session!: string;

  @Column({ type: 'text' })
  project!: string;

  /** Revision of its `run_requested`. */
  @Column({ type: 'integer' })
  requested!: number;

  @Column({ type: 'text' })
  status!: string;

  @Column({ type: 'text' })
  mode!: string;

  @Column({ type: 'text' })
  model!: string;

  @Column({ type: 'text' })
  trigger!: string;

  @Column({ type: 'text' })
  actor!: string;

  /** ms since 1970; bigint comes as text. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: string;

  @Column({ name: 'started_at', type: 'bigint', nullable: true })
  startedAt!: string | null;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt!: string | null;

  @Column({ type: 'numeric' })
  cost!: string;

  @Column({ name: 'input_tokens', type: 'bigint' })
  inputTokens!: string;

  @Column({ name: 'output_tokens', type: 'bigint' })
  outputTokens!: string;

  @Column({ name: 'error_code', type: 'text', nullable: true })
  errorCode!: string | null;

  /** Bytes of the content codec. */
  @Column({ name: 'error_message', type: 'bytea', nullable: true })
  errorMessage!: Buffer | null;

  @Column({ name: 'error_retryable', type: 'boolean', nullable: true })
  errorRetryable!: boolean | null;

  /** JSON list of what it had to do without, in bytes of the content codec; null: nothing. */
  @Column({ type: 'bytea', nullable: true })
  warnings!: Buffer | null;

  /** Revision of its last public event when the row was written. */
  @Column({ name: 'last_event_id', type: 'integer', nullable: true })
  lastEventId!: number | null;
}
