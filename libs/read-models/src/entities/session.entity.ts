import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'sessions' })
export class SessionEntity {
  @PrimaryColumn({ type: 'text' })
  session!: string;

  @Column({ type: 'text' })
  project!: string;

  /** Bytes of the content codec. */
  @Column({ type: 'bytea', nullable: true })
  title!: Buffer | null;

  /** ms since 1970; bigint comes as text. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: string;

  @Column({ name: 'last_status', type: 'text', nullable: true })
  lastStatus!: string | null;

  @Column({ type: 'numeric' })
  cost!: string;

  @Column({ name: 'message_count', type: 'integer' })
  messageCount!: number;

  /** One message more, which is being written. */
  @Column({ name: 'has_open_text', type: 'boolean' })
  hasOpenText!: boolean;
}
