import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'tasks' })
export class TaskEntity {
  @PrimaryColumn({ name: 'task_id', type: 'text' })
  taskId!: string;

  @Column({ type: 'text' })
  session!: string;

  @Column({ type: 'text' })
  project!: string;

  /** ms since 1970; bigint comes as text. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: string;

  /** The schedule as JSON: a number or a text. */
  @Column({ type: 'text' })
  given!: string;

  @Column({ type: 'text', nullable: true })
  timezone!: string | null;

  /** Bytes of the content codec. */
  @Column({ type: 'bytea' })
  message!: Buffer;

  @Column({ name: 'message_is_file', type: 'boolean' })
  messageIsFile!: boolean;

  @Column({ type: 'text' })
  status!: string;

  @Column({ name: 'next_at', type: 'bigint', nullable: true })
  nextAt!: string | null;

  /** JSON of the newest 100, newest last. */
  @Column({ type: 'text' })
  firings!: string;

  @Column({ name: 'last_fired_at', type: 'bigint', nullable: true })
  lastFiredAt!: string | null;
}
