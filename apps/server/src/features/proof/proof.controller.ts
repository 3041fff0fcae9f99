import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '#domain';
import { ProofReader, sealingStopped } from '#sealer';
import { TEXT } from '../../edge/openapi/json-schema.js';
import { Operation, type OperationTerms } from '../../edge/routes/operation.js';
import { ProofTerms } from './proof-terms.js';
import { readTilePath } from './tile-path.js';

const TILES = '/proof/tile/';
const BYTES_TYPE = 'application/octet-stream';
const TEXT_TYPE = 'text/plain';

const terms = (id: string, type: string, summary: string, description: string): OperationTerms => ({
  id,
  tag: 'proof',
  summary,
  description,
  scope: 'read',
  isOpenWherePublic: true,
  answers: { 200: { [type]: TEXT } },
});

/** What it takes to check the log without its owner: https://c2sp.org/tlog-tiles under `/proof`. */
@Controller('proof')
export class ProofController {
  constructor(
    private readonly reader: ProofReader,
    private readonly terms: ProofTerms,
  ) {}

  @Get('checkpoint')
  @Operation({
    ...terms(
      'getCheckpoint',
      TEXT_TYPE,
      'The newest checkpoint of the log',
      'A signed note with every cosignature that is known. 503 `sealing_stopped` while nothing is signed.',
    ),
    refusals: [404, 503],
  })
  async checkpoint(@Res() reply: FastifyReply): Promise<void> {
    const stop = await this.reader.stopped();
    if (stop !== null) throw sealingStopped(stop);
    const note = await this.reader.checkpoint();
    if (note === null) throw notFound('a checkpoint');
    sendText(reply, note);
  }

  @Get('keys')
  @Operation(
    terms(
      'getLogKeys',
      TEXT_TYPE,
      'Who signs the log, as a policy file',
      'A tlog-policy: the keys of the log, then the witnesses that the operator names. Keep your first copy.',
    ),
  )
  keys(@Res() reply: FastifyReply): void {
    sendText(reply, this.terms.policy());
  }

  @Get('tile/:level/*')
  @Operation({
    ...terms(
      'getTile',
      BYTES_TYPE,
      'A tile of the tree, or a bundle of its entries',
      'Its path is `tile/<L>/<N>` or `tile/entries/<N>`, and `.p/<W>` behind it for its first W.',
    ),
    // The places of tiles have as many parts as they need, which OpenAPI cannot say.
    isPage: true,
    refusals: [404],
  })
  async tile(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = request.url.split('?', 1)[0] ?? '';
    const asked = readTilePath(path.slice(TILES.length));
    if (asked === null) throw notFound('the tile');
    const { level, index, width } = asked;
    const bytes =
      level === null
        ? await this.reader.entries(index, width)
        : await this.reader.tile({ level, index }, width);
    if (bytes === null) throw notFound('the tile');
    const whose = this.terms.isPublic ? 'public' : 'private';
    void reply
      .code(200)
      .header('content-type', BYTES_TYPE)
      .header('cache-control', `${whose}, max-age=31536000, immutable`)
      .send(Buffer.from(bytes));
  }
}

function sendText(reply: FastifyReply, text: string): void {
  void reply
    .code(200)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('cache-control', 'no-cache')
    .send(text);
}
