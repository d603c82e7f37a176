/* A halo exchange, timed: the ranks are a grid of rows x columns, as near to a square as their number lets it be, and each
   sends BYTES to each of its neighbours above, below, left and right, and receives as many, ROUNDS times. Or, as "map", each
   rank's host.

   usage: halo_exchange BYTES ROUNDS | map
   Prints from rank 0 the MB/s that a rank sends on the average, in the slowest rank's time; or "RANK HOST" for each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_map(int rank, int ranks) {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    char* all = rank == 0 ? malloc((size_t)ranks * sizeof name) : NULL;
    MPI_Gather(name, sizeof name, MPI_CHAR, all, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < ranks; ++i)
        printf("%d %s\n", i, all + (size_t)i * sizeof name);
    free(all);
}

static int rows_of(int ranks) {
    int rows = 1;
    for (int i = 1; i * i <= ranks; ++i)
        if (ranks % i == 0) rows = i;
    return rows;
}

static int neighbours_of(int rank, int ranks, int* found) {
    const int columns = ranks / rows_of(ranks);
    int count = 0;
    if (rank % columns > 0) found[count++] = rank - 1;
    if (rank % columns < columns - 1) found[count++] = rank + 1;
    if (rank >= columns) found[count++] = rank - columns;
    if (rank + columns < ranks) found[count++] = rank + columns;
    return count;
}

static void exchange(const int* neighbours, int count, char* buffers, int bytes) {
    MPI_Request requests[8];
    MPI_Status statuses[8];
    for (int i = 0; i < count; ++i) {
        char* in = buffers + (size_t)(2 * i) * (size_t)bytes;
        MPI_Irecv(in, bytes, MPI_CHAR, neighbours[i], 0, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(in + bytes, bytes, MPI_CHAR, neighbours[i], 0, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * count, requests, statuses);
}

int main(int argc, char** argv) {
    int rank = 0, ranks = 0, neighbours[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 2 && strcmp(argv[1], "map") == 0) {
        print_map(rank, ranks);
    } else if (argc == 3) {
        const int bytes = atoi(argv[1]), rounds = atoi(argv[2]);
        const int count = neighbours_of(rank, ranks, neighbours);
        char* buffers = calloc(8, (size_t)bytes);
        exchange(neighbours, count, buffers, bytes); /* connects them */
        MPI_Barrier(MPI_COMM_WORLD);
        const double begun = MPI_Wtime();
        for (int i = 0; i < rounds; ++i)
            exchange(neighbours, count, buffers, bytes);
        double sent = (double)bytes * rounds * count, took = MPI_Wtime() - begun, all = 0, slowest = 0;
        MPI_Reduce(&sent, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%.3f\n", all / ranks / slowest / 1e6);
        free(buffers);
    } else if (rank == 0) {
        fprintf(stderr, "usage: halo_exchange BYTES ROUNDS | map\n");
    }
    MPI_Finalize();
    return 0;
}
