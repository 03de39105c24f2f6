import type { FastifyServerOptions } from 'fastify'

/**
 * No route states a schema: the stages validate, without coercing. So Fastify's compilers of schemas need not be loaded,
 * which is a good part of the time that a server takes to start.
 */
export const NO_SCHEMA_COMPILERS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
}

function refuseSchemas(): never {
  throw new Error('a route of the emulator states a schema, for which no compiler is loaded')
}
