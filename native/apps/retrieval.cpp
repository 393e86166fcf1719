// apps.retrieval: for each query the nearest images of a database, after FIRE in Schmidl et al.,
// IEEE Cluster 2010: outer teams over queries, inner teams over the database, each inner thread
// with its own nearest images, merged at the end of a query.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/image_features.hpp"
#include "apps/team_times.hpp"
#include "core/host/memory_size.hpp"
#include "core/libraries/loaded.hpp"
#include "core/memory/memory.hpp"
#include "core/openmp/padding.hpp"
#include "core/openmp/team_errors.hpp"
#include "core/openmp/teams.hpp"
#include "core/session/node.hpp"

namespace machmeter {
namespace {

using retrieval::Features;
using retrieval::Nearest;
using retrieval::Neighbor;

// Images and queries, each a row of floats; made by all threads, each its share of the images.
class ImageDatabase {
   public:
    ImageDatabase(std::uint64_t queries, std::uint64_t images, const Teams& teams,
                  std::size_t page_bytes)
        : queries_(queries),
          images_(images),
          memory_((queries + images) * retrieval::image_floats * sizeof(float), page_bytes) {
        const auto threads = static_cast<std::uint64_t>(teams.threads());
        on_every_thread(teams, [&](int number) {
            const auto thread = static_cast<std::uint64_t>(number);
            for (std::uint64_t i = images * thread / threads; i < images * (thread + 1) / threads;
                 ++i) {
                retrieval::make_image(i, row(i));
            }
        });
        for (std::uint64_t query = 0; query < queries; ++query) {
            retrieval::make_query(query, queries, images, row(images + query));
        }
    }

    [[nodiscard]] std::uint64_t queries() const { return queries_; }
    [[nodiscard]] std::uint64_t images() const { return images_; }
    [[nodiscard]] Features image(std::uint64_t number) const { return {row(number)}; }
    [[nodiscard]] Features query(std::uint64_t number) const { return {row(images_ + number)}; }
    [[nodiscard]] std::size_t page_bytes() const { return memory_.describe().page_bytes; }

    [[nodiscard]] Neighbor neighbor(std::uint64_t query_number, std::uint64_t number) const {
        return {retrieval::image_distance(query(query_number), image(number)),
                static_cast<std::uint32_t>(number)};
    }

   private:
    [[nodiscard]] float* row(std::uint64_t number) const {
        return memory_.as<float>() + number * retrieval::image_floats;
    }

    std::uint64_t queries_;
    std::uint64_t images_;
    Memory memory_;
};

struct alignas(padded_bytes) OwnNearest {
    Nearest nearest;
};

Nearest nearest_by_team(const ImageDatabase& database, std::uint64_t query, int threads) {
    std::vector<OwnNearest> parts(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    {
        Nearest own;
#pragma omp for schedule(static) nowait
        for (std::uint64_t image = 0; image < database.images(); ++image) {
            own.see(database.neighbor(query, image));
        }
        parts[static_cast<std::size_t>(omp_get_thread_num())].nearest = own;
    }
    Nearest all;
    for (const OwnNearest& part : parts) {
        all.see(part.nearest);
    }
    return all;
}

void answer_all(const ImageDatabase& database, const Teams& teams, std::vector<Nearest>& answers,
                TeamTimes& times) {
    TeamErrors errors;
#pragma omp parallel for num_threads(teams.outer) schedule(dynamic, 1)
    for (std::uint64_t query = 0; query < answers.size(); ++query) {
        errors.catching([&] {
            const double seconds = time_alone(monotonic_clock, [&] {
                answers[query] = nearest_by_team(database, query, teams.inner);
            });
            times.add(omp_get_thread_num(), 0, seconds);
        });
    }
    errors.rethrow();
}

// By a sort of the whole database, which has only the distance in common with the teams.
bool is_by_sorting(const ImageDatabase& database, std::uint64_t query, const Nearest& answer) {
    std::vector<Neighbor> all;
    for (std::uint64_t image = 0; image < database.images(); ++image) {
        all.push_back(database.neighbor(query, image));
    }
    const auto end = all.begin() + retrieval::wanted;
    std::partial_sort(all.begin(), end, all.end());
    return std::equal(all.begin(), end, answer.neighbors().begin(), answer.neighbors().end());
}

// Every query finds the image it was made from; a few are compared neighbor by neighbor.
bool answers_are_right(const ImageDatabase& database, const std::vector<Nearest>& answers) {
    constexpr std::uint64_t compared = 4;
    bool right = true;
    for (std::uint64_t query = 0; query < answers.size(); ++query) {
        right = right && answers[query].neighbors().front().image ==
                             retrieval::origin_of(query, answers.size(), database.images());
    }
    for (std::uint64_t i = 0; i < compared; ++i) {
        const std::uint64_t query = (answers.size() - 1) * i / (compared - 1);
        right = right && is_by_sorting(database, query, answers[query]);
    }
    return right;
}

// Throws UsageError where the images, their queries and the answers do not fit.
void require_memory_of_images(std::uint64_t queries, std::uint64_t images, double available) {
    constexpr double image_bytes = retrieval::image_floats * sizeof(float);
    // The check sorts the distances of one query, in a vector that grows.
    const double distances = static_cast<double>(images) * 3 * sizeof(Neighbor);
    require_memory(
        "images: " + std::to_string(images) + " with " + std::to_string(queries) + " queries",
        static_cast<double>(queries + images) * image_bytes + distances +
            static_cast<double>(queries * sizeof(Nearest)),
        available);
}

PointResult measure_retrieval(NodeSession& session, const Teams& teams, const Parameters& point) {
    const std::uint64_t queries = point.count_within("queries", 1, 100'000);
    const std::uint64_t images = point.count_within("images", retrieval::wanted, 10'000'000);
    require_memory_of_images(queries, images, available_memory_bytes());
    const ImageDatabase database(queries, images, teams, session.page_bytes());
    std::vector<Nearest> answers(queries);
    TeamTimes times(teams.outer, 1);
    bool is_warm = false;
    auto searches = session.event([&](std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) {
            times.whole([&] { answer_all(database, teams, answers, times); });
        }
        if (!is_warm) {
            times.clear();
            is_warm = true;
        }
    });
    Samples samples = session.sample(searches);
    const double image_bytes = retrieval::image_floats * sizeof(float);
    const auto comparisons = static_cast<double>(queries * images);
    return PointResult(point)
        .add_samples(std::move(samples))
        .check(answers_are_right(database, answers),
               "every query found the image it was made from; up to four have the same ten "
               "neighbors as a sort of all distances")
        .quantity("comparisons", comparisons)
        .quantity("flops", comparisons * retrieval::flops_per_distance)
        .quantity("bytes", comparisons * image_bytes)
        .quantity("data_bytes", static_cast<double>(images) * image_bytes)
        .quantity("search_share", times.share(0))
        .quantity("outer_threads", teams.outer)
        .quantity("inner_threads", teams.inner)
        .attribute("wait_policy", wait_policy())
        .attribute("runtime", openmp_runtime())
        .on_pages(database.page_bytes());
}

void run_retrieval(NodeSession& session) {
    const Teams teams = requested_teams();
    require_whole(teams);
    session.record_each(
        [&](const Parameters& point) { return measure_retrieval(session, teams, point); });
}

const RegisterNodeBenchmark registered_retrieval({"apps.retrieval",
                                                  {"queries", "images"},
                                                  &run_retrieval});

}  // namespace
}  // namespace machmeter
