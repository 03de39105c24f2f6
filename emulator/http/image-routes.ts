import type { FastifyInstance } from 'fastify'
import { IMAGE_PATH_PREFIX } from '../../contract/facts.ts'
import type { World } from '../core/pipeline.ts'
import { findImage } from './generated-image.ts'
import type { Handler } from './api-routes.ts'

/** Serves the images whose URLs answers gave (section 2.4). Every other name goes the way of an unknown endpoint. */
export function serveImages(server: FastifyInstance, world: World, otherwise: Handler): void {
  server.get<{ Params: { name: string } }>(
    `${IMAGE_PATH_PREFIX}:name`,
    { exposeHeadRoute: true },
    async (request, reply) => {
      const found = await findImage(request.params.name, request.headers.authorization, world)
      if (found === undefined) return otherwise(request, reply)
      return reply.headers(found.headers).send(found.body)
    },
  )
}
