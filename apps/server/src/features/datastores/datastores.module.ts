import { Module } from '@nestjs/common';
import { DatastoresController } from './datastores.controller.js';
import { DocumentsController } from './documents.controller.js';

@Module({ controllers: [DatastoresController, DocumentsController] })
export class DatastoresModule {}
