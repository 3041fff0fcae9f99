import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'api_keys' })
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  project!: string;

  @Column({ type: 'text' })
  name!: string;

  /** Separated by a space. */
  @Column({ type: 'text' })
  scopes!: string;

  /** SHA-256 of the key, hex. */
  @Column({ type: 'text' })
  hash!: string;

  /** Sealed with the master key. */
  @Column({ name: 'webhook_secret', type: 'text' })
  webhookSecret!: string;

  /** ms since 1970; bigint comes as text. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: string;

  @Column({ name: 'revoked_at', type: 'bigint', nullable: true })
  revokedAt!: string | null;
}
