# focuscrawl in a container: docker build -t focuscrawl . && docker run --rm -v "$PWD/crawls:/data/crawls" focuscrawl crawl web-crawling
FROM python:3.11-slim AS build
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels '.[redis,postgres,warc]'

FROM python:3.11-slim
# The user 1000 is the first one of most machines, so a folder of theirs can be mounted for the results.
RUN useradd --uid 1000 --create-home crawler \
    && install --directory --owner=crawler --group=crawler /data /data/crawls
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'focuscrawl[redis,postgres,warc]'
USER crawler
WORKDIR /data
# Runs are written to crawls/; topic files may be mounted at topics/.
VOLUME ["/data/crawls"]
# The crawl ends in order and can go on: it gives back its leases and writes its summary.
STOPSIGNAL SIGINT
ENTRYPOINT ["focuscrawl"]
CMD ["--help"]
