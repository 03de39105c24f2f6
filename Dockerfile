# Two images:
#
#   docker build --target emulator --tag touchstone-emulator .
#   docker build --target runner --tag touchstone-runner .      tests and loads deployments
#
# The arguments can replace the base images, for example with those of a mirror. An empty argument selects the default,
# because Docker Compose passes unset variables as empty arguments.
ARG NODE_IMAGE
ARG GO_IMAGE

FROM ${NODE_IMAGE:-node:24-bookworm-slim} AS node

FROM node AS build
WORKDIR /build
# Copied before the sources, because dependencies change less often.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node packaging/build.ts && npm prune --omit=dev --ignore-scripts --no-audit --no-fund && mkdir /results

FROM node AS base
LABEL org.opencontainers.image.title=touchstone \
      org.opencontainers.image.licenses=Apache-2.0
# An unprivileged user without a home directory, which cannot write to the files below.
USER 10001:10001
WORKDIR /touchstone
COPY --from=build /build/LICENSE /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
ENV NODE_ENV=production NODE_DISABLE_COMPILE_CACHE=1

FROM base AS emulator
LABEL org.opencontainers.image.description="Reference emulator of the inference API"
ENV TOUCHSTONE_EMULATOR_HOST=0.0.0.0 TOUCHSTONE_EMULATOR_PORT=8080
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TOUCHSTONE_EMULATOR_PORT}/__emulator/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Starts node without a shell, so that node receives SIGTERM, and ends its streams before it exits.
ENTRYPOINT ["node", "/touchstone/dist/cli/bin.js", "emulator"]

FROM ${GO_IMAGE:-golang:1.26-bookworm} AS k6
WORKDIR /build
COPY scenarios/extension ./
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags='-s -w' -o /k6 .

FROM base AS runner
LABEL org.opencontainers.image.description="Tests and loads a deployment of the inference API"
COPY --from=k6 /k6 /usr/local/bin/k6
ENV TOUCHSTONE_K6=/usr/local/bin/k6
# A volume that is mounted here gets the owner of this directory.
COPY --from=build --chown=10001:10001 /results /results
WORKDIR /results
ENTRYPOINT ["node", "/touchstone/dist/cli/bin.js"]
CMD ["--help"]
