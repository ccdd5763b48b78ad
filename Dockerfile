# One image for the four functions that run as containers: docs/containers.md. The command selects
# the service; compose.yaml has the four commands. Build: docker build --tag parallax .
#
# A digest after the tag would pin the bytes as well. It is not here, because it could not be
# verified when this was written: `docker buildx imagetools inspect denoland/deno:2.9.5` shows it.
FROM denoland/deno:2.9.5

LABEL org.opencontainers.image.title="Parallax" \
      org.opencontainers.image.description="ingest, stream, deliver and api of Parallax on Deno" \
      org.opencontainers.image.version="2.0.0" \
      org.opencontainers.image.base.name="docker.io/denoland/deno:2.9.5"

WORKDIR /app
# Packages and code that deno has prepared. The base image's own folder belongs to its user.
ENV DENO_DIR=/app/.deno

# The packages, in a layer of their own. deno.lock names exactly those of the functions and their
# hashes; --frozen fails where it would have to change.
COPY deno.lock ./
RUN ["deno", "install", "--quiet", "--frozen", "--no-config", "--lock=deno.lock", "--node-modules-dir=none"]

# `cache` fails where a file or a package is missing, and stores the code as JavaScript, because the
# file system is read-only later.
COPY functions ./functions
RUN for name in api ingest stream deliver; do \
      deno cache --quiet --frozen --no-config --lock=deno.lock --node-modules-dir=none \
        "--import-map=functions/$name/deno.json" "functions/$name/container.ts" functions/healthcheck.ts || exit 1; \
    done

# The user `deno` of the base image, by number: Kubernetes checks runAsNonRoot by number only. All
# files belong to root, so the process cannot change them.
USER 1993:1993

ENV PORT=8000 \
    HEALTH_PORT=8000 \
    DENO_NO_UPDATE_CHECK=1 \
    NO_COLOR=1
EXPOSE 8000
STOPSIGNAL SIGTERM

# Liveness. A database that is away is no reason to replace a container, so this is not /readyz.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["deno", "run", "--quiet", "--no-config", "--no-prompt", "--cached-only", "--allow-net=127.0.0.1:8000", "functions/healthcheck.ts", "http://127.0.0.1:8000/healthz"]

ENTRYPOINT ["deno", "run", "--quiet", "--no-prompt", "--cached-only", "--frozen", "--no-config", "--lock=deno.lock", "--node-modules-dir=none"]
CMD ["--import-map=functions/api/deno.json", "--allow-net", "--allow-env=CENTRIFUGO_*,CRON_KEY,DB_*,FEED_SOURCE,LOG_LEVEL,METRICS_KEY,PG*,PORT,PUBLIC_URL,STREAM_*,SUPABASE_*", "functions/api/container.ts"]
