import type { FastifyServerOptions } from 'fastify'

/**
 * Replaces Fastify's schema compilers, which take a large part of the start time to load. No route declares a schema:
 * the stages validate, without coercion.
 */
export const NO_SCHEMA_COMPILERS: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
}

function refuseSchemas(): never {
  throw new Error('a route of the emulator states a schema, for which no compiler is loaded')
}
